set -o pipefail; cd-broad | cd-narrow
