#!/bin/sh
# Reports in headless Chromium: they need no network, log no error, every chart has marks, pointing at
# a node of the map shows its name, the search box finds one, and a phone needs no sideways scrolling.
# Called as report_browser.sh BUILD_FOLDER; ends with 77 (skipped) where there is no Chromium.
set -eu
mcns=$1/mcns
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo "skipped: no Chromium here (Debian: chromium)"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*"
  exit 1
}

# dom FILE: the document as it is once its scripts have run; console lines go to $work/log.
dom() {
  "$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$work/profile" \
    --virtual-time-budget=4000 --window-size=1200,1500 --dump-dom "file://$1" 2>>"$work/log"
}

# title FILE: what a script has left in the title of the page.
title() { dom "$1" | sed -n 's:.*<title>\([^<]*\)</title>.*:\1:p' | head -n 1; }

# check PAGE CHARTS MAP: at least so many charts; MAP is yes where the page has a map.
check() {
  page=$1 charts=$2 map=$3
  [ -s "$page" ] || fail "there is no $page"
  if grep -qE '(src|href)="https?:|@import|url\(https?:' "$page"; then fail "$page needs the network"; fi
  dom "$page" >"$work/dom.html"
  if grep -iE 'CONSOLE.*(error|uncaught)' "$work/log"; then fail "$page logs errors"; fi
  # Every plot in a figure has at least five marks.
  tr '\n' ' ' <"$work/dom.html" | sed 's/<svg /\n<svg /g' | grep '^<svg [^>]*role="img"' |
    while read -r svg; do
      echo "$svg" | sed 's:</svg>.*::' | grep -oE '<(path|circle|rect|line|polyline)[ >]' | wc -l
    done >"$work/marks"
  [ "$(wc -l <"$work/marks")" -ge "$charts" ] || fail "$page has $(wc -l <"$work/marks") of $charts charts"
  awk '$1 < 5 { exit 1 }' "$work/marks" || fail "$page has a chart without marks"
  # At 375 pixels, in a frame of that width.
  {
    cat <<'P'
<title>x</title><iframe style="width:375px;height:800px;border:0" onload="document.title='W'+this.contentDocument.documentElement.scrollWidth" srcdoc="
P
    sed 's/&/\&amp;/g; s/"/\&quot;/g' "$page"
    echo '"></iframe>'
  } >"$work/phone.html"
  width=$(title "$work/phone.html" | tr -dc 0-9)
  [ "${width:-9999}" -le 375 ] || fail "$page is $width pixels wide on a phone"
  [ "$map" = yes ] || return 0
  { cat "$page"; cat <<'P'; } >"$work/probe.html"
<script>
const map = document.querySelector('.map'), box = map.querySelector('input');
const point = map.querySelectorAll('circle[data-name]')[7], shown = map.querySelector('output');
const at = point.getBoundingClientRect();
point.ownerSVGElement.dispatchEvent(new PointerEvent('pointermove',
  {clientX: at.x + at.width / 2, clientY: at.y + at.height / 2, bubbles: true}));
const hover = shown.textContent !== '' && [...map.querySelectorAll('circle[data-name]')]
  .some(p => p.dataset.name === shown.textContent);
box.value = point.dataset.name.toUpperCase();
box.dispatchEvent(new Event('input'));
const found = shown.textContent.startsWith(point.dataset.name);
box.value = 'no such node anywhere';
box.dispatchEvent(new Event('input'));
document.title = 'hover ' + hover + ' search ' + found + ' none ' + shown.textContent.startsWith('No node');
</script>
P
  [ "$(title "$work/probe.html")" = "hover true search true none true" ] ||
    fail "$page: $(title "$work/probe.html")"
}

small="--data debian --dim 8 --epochs 3 --quiet --threads 2"
"$mcns" run --task recommend $small --sampler mcns --out "$work/model" >/dev/null
check "$work/model/report.html" 5 yes
"$mcns" compare --task recommend $small --samplers mcns,rns --seeds 2 --baselines popularity \
  --out "$work/race" >/dev/null
check "$work/race/report.html" 3 no
experiments=$(dirname "$0")/data/experiments
"$mcns" reproduce fig-small --experiments "$experiments" --folds 1 --quiet --threads 2 --out "$work/again" >/dev/null
check "$work/again/report.html" 1 no
grep -q 'Settings of the first fold' "$work/again/report.html" || fail "the reproduction has no settings"
grep -q '<h2>Environment' "$work/again/report.html" || fail "the reproduction has no environment"
echo "reports hold in $("$browser" --version 2>/dev/null || echo Chromium)"
