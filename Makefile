# cdtools. `make help` lists the targets. Objects go to a folder named after the flags, so builds with and without sanitizers never mix.
# A new tool is a new folder tools/cd-NAME with a main.c; a new source or test file is found by wildcard: nothing here changes.
CC ?= gcc
VERSION := 0.1.0
SAN ?=
BUILD ?= build/$(if $(SAN),san-$(subst $(comma),-,$(SAN)),release)
PREFIX ?= /usr/local
DESTDIR ?=
comma := ,

CFLAGS ?= -O2 -g
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE $(CFLAGS) -ffp-contract=off -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
  -Ilibcommon/base -Ilibcommon/math -Ilibcommon/geom -Iformats -MMD -MP $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) $(MOREFLAGS)
LDLIBS := -lz -lcjson -lyaml -lm -lpthread
ALL_LDFLAGS := $(LDFLAGS) $(if $(SAN),-fsanitize=$(SAN))

LIB_SOURCES := $(wildcard libcommon/*/*.c formats/*.c)
TOOLS := $(notdir $(patsubst %/main.c,%,$(wildcard tools/*/main.c)))
METHOD_SOURCES := $(filter-out %/main.c,$(wildcard tools/*/*.c))
UNIT_TESTS := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))
LIB := $(BUILD)/libcd.a
BIN := $(BUILD)/bin

.PHONY: all
all: $(TOOLS:%=$(BIN)/%)  ## build every tool into $(BIN)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(if $(filter tools/%,$<),-I$(<D)) $(if $(filter tests/unit/%,$<),$(addprefix -I,$(wildcard tools/*))) -c $< -o $@

$(LIB): $(LIB_SOURCES:%.c=$(BUILD)/%.o)
	@rm -f $@
	$(AR) rcs $@ $^

# Cairo draws for cd-plot alone.
$(BUILD)/tools/cd-plot/%.o: ALL_CFLAGS += $(shell pkg-config --cflags cairo 2>/dev/null)
$(BIN)/cd-plot: LDLIBS += -lcairo

define tool_rule
$(BIN)/$(1): $(patsubst %.c,$(BUILD)/%.o,$(wildcard tools/$(1)/*.c)) $(LIB)
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ $$(LDLIBS)
endef
$(foreach tool,$(TOOLS),$(eval $(call tool_rule,$(tool))))

# Unit tests see every tool's methods.
$(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $(METHOD_SOURCES:%.c=$(BUILD)/%.o) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS) -lcairo

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
