// The walk through the tree, the same at every vector level: a kernel file defines the types and functions named
// below and includes this once.
//   lanes                                    six rows of 16 floats
//   box                                      one box, ready to be compared with 16
//   lanes load_lanes(const cd_bvh_block *)
//   box box_of(const cd_bvh_block *, int lane)
//   uint32_t hits(const cd_bvh_block *, box)     bits of the lanes that meet the box, ties included
//   uint32_t hits_tied(const lanes *, const cd_bvh_block *, int lane, uint32_t *ties)   the same, and which are ties
//   balls                                    16 centres and radii
//   balls balls_of(const cd_bvh_tree *, int32_t group)
//   uint32_t near(const cd_bvh_tree *, const balls *, uint32_t place, uint32_t *surely)   bits of the balls that do not
//                                            surely lie apart from that of the box at `place`, and of those that
//                                            surely overlap it
//   int32_t append(const cd_bvh_lists *, uint32_t *list, int32_t count, uint32_t first, uint32_t mask)
//                                            first + k for each bit k behind the list's end, its new count; may write
//                                            up to 16 numbers
//   int32_t emit(const cd_bvh_lists *, cd_box_pair *out, int32_t a, const int32_t *item, uint32_t mask)
//                                            (a, item[k]) for each bit k; how many; may write up to 16 pairs
//
// A group (block of level 0) goes down the tree level by level: the list of blocks met is the input of the next level,
// each test appends without a branch. Work is a few long loops instead of many short ones of unpredictable length,
// and a list is never longer than the level. In the end single boxes that meet the bounds of the group are compared
// with its 16.
// SPDX-License-Identifier: MIT

// A group that looks for what it meets, in registers as far as they go.
typedef struct seeker {
    const int32_t *item;  // [16]
    lanes own;
    balls round;
    bool has_round;  // false: balls are not compared
    int alone;       // boxes, where balls decide without them; else 0
} seeker;

static CD_BVH_INLINE seeker seeker_of(const cd_bvh_tree *tree, int32_t group, bool has_round)
{
    seeker one = {.item = tree->item + (int64_t)CD_BVH_WIDTH * group, .own = load_lanes(&tree->level[0][group])};
    one.has_round = has_round;
    if (has_round)
        one.round = balls_of(tree, group);
    one.alone = has_round ? tree->rounds.alone[group] : 0;
    return one;
}

// Takes the boxes whose balls surely lie apart off `mask`; ties are those of the others that are not sure. What is
// taken off are overlaps of boxes all the same.
static CD_BVH_INLINE uint32_t keep_near(const cd_bvh_tree *tree, cd_bvh_lists *lists, const balls *round,
                                        uint32_t place, uint32_t mask, uint32_t *ties)
{
    uint32_t surely, perhaps = near(tree, round, place, &surely);
    lists->hits += __builtin_popcount(mask & ~*ties & ~perhaps);
    *ties = mask & perhaps & (*ties | ~surely);
    return mask & perhaps;
}

// Bits of the boxes that meet that at `place`, and in their balls; ties are those of which floats are not sure. Balls
// that lie in their boxes need no look at these: of a million spheres of sizes 1:10 that was a third of the walk.
static CD_BVH_INLINE uint32_t meets(const cd_bvh_tree *tree, cd_bvh_lists *lists, const seeker *one, uint32_t place,
                                    uint32_t lanes_asked, uint32_t *ties)
{
    if (one->alone && tree->rounds.alone[place / CD_BVH_WIDTH]) {
        uint32_t surely, mask = near(tree, &one->round, place, &surely) & ((1u << one->alone) - 1) & lanes_asked;
        *ties = mask & ~surely;
        lists->hits += __builtin_popcount(mask);  // a ball takes about half of its box
        return mask;
    }
    uint32_t mask =
        hits_tied(&one->own, &tree->level[0][place / CD_BVH_WIDTH], place % CD_BVH_WIDTH, ties) & lanes_asked;
    if (one->has_round)
        mask = keep_near(tree, lists, &one->round, place, mask, ties);
    *ties &= mask;
    return mask;
}

// Boxes of one group among themselves.
static CD_BVH_INLINE void query_own(const cd_bvh_tree *tree, const cd_broad_input *input, cd_bvh_lists *lists,
                                    cd_broad_pairs *pairs, int32_t group, const seeker *one)
{
    const int32_t *item = one->item;
    uint32_t place = (uint32_t)group * CD_BVH_WIDTH;
    cd_box_pair *out = cd_broad_room(pairs, CD_BVH_WIDTH * CD_BVH_WIDTH);
    int64_t count = 0;
    // Lanes without a box meet none, but have no centre: balls would be asked again in doubles.
    const int used = one->alone ? one->alone : CD_BVH_WIDTH;
    for (int lane = 0; lane < used - 1; lane++) {
        uint32_t ties, mask = meets(tree, lists, one, place + (uint32_t)lane, 0xfffeu << lane, &ties);
        if (ties)
            mask = cd_bvh_settle(input, item, item[lane], mask, ties);
        count += emit(lists, out + count, item[lane], item, mask);
    }
    lists->hits += count;
    pairs->count += count;
}

static CD_BVH_INLINE void query_candidates(const cd_bvh_tree *tree, const cd_broad_input *input, cd_bvh_lists *lists,
                                           cd_broad_pairs *pairs, const seeker *one, int32_t candidates, bool is_apart)
{
    cd_box_pair *out = cd_broad_room(pairs, CD_BVH_WIDTH * (int64_t)(candidates + 1));
    const cd_box_pair *start = out;
    for (int32_t k = 0; k < candidates; k++) {
        uint32_t place = lists->candidate[k];
        int32_t other = tree->item[place];
        uint32_t ties, mask = meets(tree, lists, one, place, 0xffff, &ties);
        if (__builtin_expect(ties != 0, 0))
            mask = (is_apart ? cd_bvh_settle_apart : cd_bvh_settle)(input, one->item, other, mask, ties);
        out += emit(lists, out, other, one->item, mask);
    }
    lists->comparisons += candidates;
    lists->hits += out - start;
    pairs->count += out - start;
}

static void query_group(const cd_bvh_tree *tree, const cd_broad_input *input, cd_bvh_lists *lists,
                        cd_broad_pairs *pairs, int32_t group)
{
    box bounds = box_of(&tree->level[1][group / CD_BVH_WIDTH], group % CD_BVH_WIDTH);
    uint32_t *met = lists->met, *next = lists->next;
    int32_t count = 1;
    met[0] = 0;
    // The first block met is always the one that holds the group: those before it are left out.
    for (int level = tree->top; level >= 1; level--) {
        const cd_bvh_block *block = tree->level[level];
        int32_t path = group >> 4 * (level - 1);
        uint32_t mask = hits(&block[met[0]], bounds) & (0xffffu << path % CD_BVH_WIDTH);
        int32_t found = append(lists, next, 0, met[0] * CD_BVH_WIDTH, mask);
        for (int32_t k = 1; k < count; k++)
            found = append(lists, next, found, met[k] * CD_BVH_WIDTH, hits(&block[met[k]], bounds));
        uint32_t *swap = met;
        met = next;
        next = swap;
        count = found;
    }
    lists->comparisons += count;
    seeker one = seeker_of(tree, group, tree->rounds.radius != NULL);
    query_own(tree, input, lists, pairs, group, &one);
    int32_t candidates = 0;
    for (int32_t k = 1; k < count; k++) {
        candidates =
            append(lists, lists->candidate, candidates, met[k] * CD_BVH_WIDTH, hits(&tree->level[0][met[k]], bounds));
        if (candidates >= CD_BVH_CANDIDATES) {
            query_candidates(tree, input, lists, pairs, &one, candidates, false);
            candidates = 0;
        }
    }
    query_candidates(tree, input, lists, pairs, &one, candidates, false);
}

static void query(const cd_bvh_tree *tree, const cd_broad_input *input, cd_bvh_lists *lists, cd_broad_pairs *pairs,
                  int32_t begin, int32_t end)
{
    for (int32_t group = begin; group < end && !pairs->is_full; group++) {
        int64_t from = pairs->count;
        query_group(tree, input, lists, pairs, group);
        if (pairs->is_full)
            return;
        if (tree->rounds.radius)
            cd_broad_keep_members(input, pairs, from);
        else
            cd_broad_keep_wanted(input, pairs, from);
        cd_broad_hand_on(pairs);
    }
}

// A group of one tree against all boxes of another one.
static CD_BVH_INLINE void query_group_of(const cd_bvh_tree *tree, const cd_bvh_tree *from, const cd_broad_input *input,
                                         cd_bvh_lists *lists, cd_broad_pairs *pairs, int32_t group)
{
    box bounds = box_of(&from->level[1][group / CD_BVH_WIDTH], group % CD_BVH_WIDTH);
    uint32_t *met = lists->met, *next = lists->next;
    int32_t count = 1, candidates = 0;
    met[0] = 0;
    for (int level = tree->top; level >= 1; level--) {
        int32_t found = 0;
        for (int32_t k = 0; k < count; k++)
            found = append(lists, next, found, met[k] * CD_BVH_WIDTH, hits(&tree->level[level][met[k]], bounds));
        uint32_t *swap = met;
        met = next;
        next = swap;
        count = found;
    }
    seeker one = seeker_of(from, group, false);
    const bool is_apart = input->standing.boxes != NULL;
    for (int32_t k = 0; k < count; k++) {
        candidates =
            append(lists, lists->candidate, candidates, met[k] * CD_BVH_WIDTH, hits(&tree->level[0][met[k]], bounds));
        if (candidates >= CD_BVH_CANDIDATES) {
            query_candidates(tree, input, lists, pairs, &one, candidates, is_apart);
            candidates = 0;
        }
    }
    query_candidates(tree, input, lists, pairs, &one, candidates, is_apart);
}

static void query_other(const cd_bvh_tree *tree, const cd_bvh_tree *from, const cd_broad_input *input,
                        cd_bvh_lists *lists, cd_broad_pairs *pairs, int32_t begin, int32_t end)
{
    for (int32_t group = begin; group < end && !pairs->is_full; group++) {
        int64_t first = pairs->count;
        query_group_of(tree, from, input, lists, pairs, group);
        if (!pairs->is_full && !input->standing.boxes)
            cd_broad_keep_wanted(input, pairs, first);
    }
}
