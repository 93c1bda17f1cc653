#!/bin/sh
# The table of ./run: test metrics of the models in OUT/TASK-rns and OUT/TASK-mcns. Where MCNS is below RNS in a
# task, a line says why that happens and what to take instead.
#   tools/quickstart_table.sh OUT
set -eu
out=$1

# metric FILE KEY...: the number under these keys, one inside the other, of a metrics.json
metric() {
  file=$1
  shift
  awk -v want="/$*" '
    { gsub(" ", "/", want) }
    match($0, /"[^"]*":/) { key = substr($0, RSTART + 1, RLENGTH - 3) }
    /\{$/ && key != "" { path = path "/" key; next }
    /^ *\}/ { sub("/[^/]*$", "", path) }
    path "/" key == want { gsub(/[ ,]/, ""); sub(/^.*:/, ""); printf "%.4f", $0; exit }' "$file"
}

lost=
# row TASK LABEL KEY...: a line of the table
row() {
  task=$1 label=$2
  shift 2
  rns=$(metric "$out/$task-rns/metrics.json" "$@")
  mcns=$(metric "$out/$task-mcns/metrics.json" "$@")
  printf '%-10s  %-20s  %6s  %6s\n' "$task" "$label" "$rns" "$mcns"
  case $(awk -v a="$mcns" -v b="$rns" 'BEGIN { print (a < b) }')$lost in
    1*$task*) ;;
    1*) lost="$lost $task" ;;
  esac
}

printf '%-10s  %-20s  %6s  %6s\n' task metric RNS MCNS
row recommend "MRR" test mrr
row recommend "Hits@30" test hits@30
row linkpred "AUC" test auc
row classify "Micro-F1, 50 % known" test 50 micro_f1
row classify "Macro-F1, 50 % known" test 50 macro_f1
[ -z "$lost" ] || echo
for task in $lost; do
  case $task in
    recommend) why='hard negatives need settings that suit the data; --tune 20 finds them on validation.' ;;
    linkpred) why='walks have many positives, and hard negatives hit them; take --sampler rns or mcns:hardness=2.' ;;
    classify) why='walks join the nodes of a class, and hard negatives part them; take --sampler degree or rns.' ;;
  esac
  echo "$task: MCNS is below RNS here: $why"
done
