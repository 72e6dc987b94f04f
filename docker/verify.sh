#!/usr/bin/env bash
# Builds the image without a container engine, starts it as its user, and sends requests.
#
# buildah builds from docker/Dockerfile, with chroot for isolation. In place of the base images it takes
# a Debian that is made from Debian's packages, and the Node that the lock file pins. It needs a Debian and
# root, and `npm ci` to have run; it installs buildah and debootstrap where they are missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

MAX_MB=300

work=$(mktemp -d)
server=
export BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$work/storage" --runroot "$work/run" "$@"; }
clean_up() {
  if [[ -n $server ]]; then kill -KILL "$server" 2>/dev/null || true; fi
  buildah umount --all >/dev/null 2>&1 || true
  buildah rm --all >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap clean_up EXIT

say() { printf '\n== %s\n' "$*"; }
fail() {
  echo "FAILED: $*" >&2
  exit 1
}
expect() {
  [[ $2 == "$3" ]] || fail "$1 is '$2' instead of '$3'"
  echo "$1: $2"
}

missing=()
for package in buildah debootstrap; do
  # Programs only: the function buildah does not count.
  [[ -n $(type -P $package) ]] || missing+=("$package")
done
if ((${#missing[@]})); then
  say "installs ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

say 'a base from the packages of Debian'
debootstrap --variant=minbase --include=ca-certificates,libstdc++6 bookworm "$work/base" >"$work/base.log" ||
  { tail "$work/base.log"; fail debootstrap; }
# The slim images also omit these files.
rm -rf "$work"/base/{var/cache/apt,var/lib/apt/lists,var/log}/* "$work"/base/usr/share/{doc,info,locale,man}
base=$(buildah from scratch)
buildah add -q "$base" "$work/base" / >/dev/null
buildah commit -q "$base" localhost/base >/dev/null
rm -rf "$work/base"

say 'the pinned Node on it'
node=$(buildah from localhost/base)
buildah copy -q "$node" node_modules/node/bin/node /usr/local/bin/node >/dev/null
npm=$(dirname "$(dirname "$(realpath "$(command -v npm)")")")
buildah copy -q "$node" "$npm" /usr/local/lib/node_modules/npm >/dev/null
buildah run "$node" -- ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
if [[ -n ${NODE_EXTRA_CA_CERTS:-} ]]; then
  # The certificate of the registry, if Debian's certificates do not include it. It is not part of the image.
  buildah copy -q "$node" "$NODE_EXTRA_CA_CERTS" /etc/ssl/extra.crt >/dev/null
  buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/extra.crt "$node"
fi
buildah commit -q "$node" localhost/node >/dev/null
buildah rm -a >/dev/null

say 'the image'
buildah bud --format docker --file docker/Dockerfile --ignorefile docker/Dockerfile.dockerignore --tag localhost/petstore \
  --build-arg NODE_IMAGE=localhost/node --build-arg BASE_IMAGE=localhost/base .

say 'the metadata of the image'
inspect() { buildah inspect --type image --format "$1" localhost/petstore; }
expect 'user' "$(inspect '{{.OCIv1.Config.User}}')" 1000:1000
expect 'title' "$(inspect '{{index .OCIv1.Config.Labels "org.opencontainers.image.title"}}')" petstore
expect 'health check' "$(inspect '{{.Docker.Config.Healthcheck.Test}}')" '[CMD node dist/src/health/health-check.js]'
command=$(inspect '{{range .OCIv1.Config.Cmd}}{{.}} {{end}}')
echo "command: $command"

container=$(buildah from localhost/petstore)
root=$(buildah mount "$container")
megabytes=$(($(du -s --apparent-size --block-size=1 "$root" | cut -f1) / 1000000))
((megabytes < MAX_MB)) || fail "it takes $megabytes MB, which exceeds the limit of $MAX_MB"
echo "size: $megabytes MB"
! [[ -e $root/app/node_modules/typescript || -e $root/app/src || -e $root/app/test ]] || fail 'it contains files that only the build needs'
surplus=$(find "$root/app" -name '*.ts' -o -name '*.map' -o -name .tsbuildinfo -o -type d -name test -o -path '*/dist/src/testing' | head -3)
[[ -z $surplus ]] || fail "it contains files for editors and tests: $surplus"
grep -q '"name": "@nestjs/core"' "$root/app/sbom.json" || fail 'its list of packages is not complete'

say 'the service in it: its own first process, as its user, on a read-only root'
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
mapfile -t environment < <(inspect '{{range .OCIv1.Config.Env}}{{println .}}{{end}}' | sed '/^$/d')
inside=(env --ignore-environment --chdir=/app "${environment[@]}" HOST=127.0.0.1 "PORT=$port")
for folder in dev proc; do mkdir -p "$root/$folder"; done
touch "$work/log"
unshare --mount --pid --fork --kill-child docker/read-only.sh "$root" "${inside[@]}" $command >"$work/log" 2>&1 &
server=$!
for _ in {1..300}; do
  grep -q "curl" "$work/log" && break
  kill -0 "$server" 2>/dev/null || { cat "$work/log"; fail 'it does not start'; }
  sleep 0.1
done
process=$(tr -d ' ' <"/proc/$server/task/$server/children")
expect 'user of the process' "$(stat -c %u "/proc/$process")" 1000
unshare --mount docker/read-only.sh "$root" "${inside[@]}" touch /app/file 2>/dev/null && fail 'its root is writable'
unshare --mount docker/read-only.sh "$root" "${inside[@]}" node dist/src/health/health-check.js || fail 'its health check'
echo 'health check: passed'
key=$(grep -o 'ps_[0-9A-Za-z]*' "$work/log" | head -1)
call() { node -e 'fetch(process.argv[1], { headers: { authorization: `Bearer ${process.argv[2]}` } }).then(async (r) => console.log(r.status, await r.text()))' "http://127.0.0.1:$port$1" "$2"; }
expect 'GET /v1/pets' "$(call /v1/pets "$key")" '200 []'
expect 'without the key' "$(call /v1/pets none | cut -c1-3)" 401
expect 'GET /docs' "$(call /docs none | head -c3)" 200

kill -TERM "$process"
code=0
wait "$server" || code=$?
server=
expect 'exit code after SIGTERM' "$code" 0
say 'all checks passed'
