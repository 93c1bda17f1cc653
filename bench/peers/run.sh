#!/bin/sh
# Training speed against gensim (skip-gram) and implicit (ALS), in turns on this machine. Makes a
# Python environment in build/peers; needs $MCNS_DATA with blogcatalog and ml-100k, and the release
# build. WALKS, ROUNDS and EPOCHS make it shorter or longer.
#   bench/peers/run.sh [skipgram] [als]
set -eu
cd "$(dirname "$0")/../.."
: "${MCNS_DATA:?the folder that holds blogcatalog and ml-100k}"
venv=build/peers/venv
if ! [ -e "$venv/bin/python" ]; then
  mkdir -p build/peers
  python3 -m venv "$venv"
fi
"$venv/bin/python" -c 'import gensim, implicit' 2>/dev/null || "$venv/bin/pip" install -q gensim implicit
# implicit's own threads and those of a BLAS under it slow each other down.
export OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
for part in ${*:-skipgram als}; do
  "$venv/bin/python" "bench/peers/$part.py" "$MCNS_DATA"
done
