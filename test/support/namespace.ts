import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { onTestFinished, test } from 'vitest';
import { generateFiles } from '../../src/artifacts/generate.ts';
import type { Design } from '../../src/design/model.ts';
import { exampleCredentials, exampleImages } from './example-design.ts';
import { testWith } from './programs.ts';

/**
 * Start of every script in the namespaces. They have their own network, and `host NAME COMMAND…`, which runs a command
 * with the generated files of that host at their real paths. Nothing of it is visible outside.
 */
const PRELUDE = `
set -euo pipefail
ip link set lo up
own() {
  for path in /var /run /root /srv; do mount -t tmpfs own "$path"; done
  mkdir /run/etc
  for path in passwd group nsswitch.conf ld.so.cache protocols services ssl/openssl.cnf mime.types; do
    if [[ -e /etc/$path ]]; then install -D -m 0644 /etc/$path /run/etc/$path; fi
  done
  mount --bind /run/etc /etc
  ln -s /run /var/run
  mkdir -p /run/named /run/kea /run/lock/kea /var/log/nginx /var/lib/dhcp /var/lib/kea /var/lib/nginx /var/named/slaves /var/named/dynamic /var/lib/bind
}
export -f own
host() {
  NAME="$1" unshare -m bash -euc 'own; cp -r "$FILES/$NAME/." /; exec "$@"' host "\${@:2}"
}
until_true() { for _ in $(seq 300); do if "$@" >/dev/null 2>&1; then return; fi; sleep 0.1; done; echo "never: $*" >&2; exit 9; }
`;

/**
 * Shell lines that connect this host (172.16.0.102/24 on `nodes`) to a client without an address of that network.
 * `$client` is its process ID.
 */
export const CLIENT_LINK = `
ip link add name nodes type veth peer name wire
unshare -n sleep infinity & client=$!
# Until the client has a network of its own, the link would only move to the one where it is.
until_true bash -c "ip link set wire netns $client; ! ip link show wire"
ip addr add 172.16.0.102/24 dev nodes; ip link set nodes up
nsenter -t $client -n bash -c 'ip addr add 169.254.7.7/32 dev wire; ip link set wire up; ip link set lo up; ip route add default dev wire'
until_true bash -c "ip link show nodes | grep -q LOWER_UP"
`;

/** Processes in the namespaces end with the script. */
const isRoot = process.getuid?.() === 0;
const NAMESPACES = [isRoot ? '-mnpf' : '-rmnpf', '--kill-child', '--mount-proc'];

const canUnshare = spawnSync('unshare', [...NAMESPACES, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

/** `testInNamespace` for a program that switches to another user, which only the real root can do. */
export function testAsRoot(...programs: readonly string[]) {
  if (isRoot || process.env.UPI_WIZARD_REQUIRE_SYSTEM === '1') return testInNamespace(...programs);
  return (name: string, _body: () => unknown) => test.skip(`${name} (needs root)`, () => {});
}

/** `test` for real programs with real paths, addresses and ports, in their own namespaces. */
export function testInNamespace(...programs: readonly string[]) {
  const run = testWith(...programs, 'unshare', 'ip');
  if (canUnshare) return run;
  if (process.env.UPI_WIZARD_REQUIRE_SYSTEM !== '1') {
    return (name: string, _body: () => unknown) => test.skip(`${name} (needs namespaces)`, () => {});
  }
  return (name: string, _body: () => unknown) =>
    test(name, () => {
      throw new Error('needs namespaces');
    });
}

/** Writes the generated files of a design to a directory, by host, with more files beside them. */
export function writeHostFiles(design: Design, extraFiles: Readonly<Record<string, string>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'upi-namespace-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), text);
  };
  const input = { stage: 'install', credentials: exampleCredentials, images: exampleImages, previous: null } as const;
  for (const { file, content } of generateFiles({ ...input, design }).files) put(file, content);
  for (const [file, text] of Object.entries(extraFiles)) put(file, text);
  return dir;
}

/**
 * Runs a script in namespaces; `$FILES` is the directory.
 * @returns its standard output
 * @throws with all its output when it fails; everything it started has ended when this returns
 */
export async function runInNamespace(files: string, script: string): Promise<string> {
  const { exitCode, stdout, all } = await execa('unshare', [...NAMESPACES, 'bash', '-c', `${PRELUDE}\n${script}`], {
    env: { FILES: files, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
    all: true,
    reject: false,
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  if (exitCode !== 0) throw new Error(all);
  return stdout;
}
