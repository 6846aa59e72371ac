import { sanitizeLine } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';
import type { HostInside, NetworkInterface } from '../../probes/probe-types.ts';

/** Lines of keepalived's journal that are read. */
const JOURNAL_LINES = 200;

/**
 * Shell lines for a POSIX shell in which `$root` runs a command as root. Each prints a line `inside NAME BASE64`. They
 * read, and load no kernel module: iptables-legacy-save would, so it runs only where the kernel has such tables.
 */
export const INSIDE_COMMAND = `PATH=$PATH:/usr/sbin:/sbin
inside() { name=$1; shift; if text=$($root timeout 5 "$@" 2>/dev/null); then printf 'inside %s %s\\n' "$name" "$(printf '%s' "$text" | base64 | tr -d '\\n')"; else echo "inside $name failed"; fi; }
has() { command -v "$1" >/dev/null 2>&1; }
if has nft; then inside nft nft -j list ruleset; inside nft-listing nft -a list ruleset; fi
for ip in ip ip6; do
  save=; for tool in \${ip}tables-nft-save \${ip}tables-save; do
    if [ -z "$save" ] && has $tool && $tool -V 2>/dev/null | grep -q nf_tables; then save=$tool; fi
  done
  if [ -n "$save" ]; then inside \${ip}tables $save; fi
  if $root grep -q . /proc/net/\${ip}_tables_names 2>/dev/null; then
    save=\${ip}tables-save; if has \${ip}tables-legacy-save; then save=\${ip}tables-legacy-save; fi
    inside \${ip}tables-legacy $save
  fi
done
inside addresses ip -o addr show
inside links ip -o link show
inside routes ip route show default
inside routes6 ip -6 route show default
inside journal journalctl -o short-iso -n ${JOURNAL_LINES} --no-pager -u keepalived
net=$($root readlink /proc/self/ns/net)
for process in /proc/[0-9]*; do
  if [ "$(cat "$process/comm" 2>/dev/null)" = keepalived ] && [ "$($root readlink "$process/ns/net" 2>/dev/null)" = "$net" ]; then echo "keepalived runs"; break; fi
done`;

const [NFT, LISTING] = ['nft', 'nft-listing'];
const TABLE_TOOLS = ['iptables', 'ip6tables', 'iptables-legacy', 'ip6tables-legacy'];

/** Parses the output of these lines; null: there is none. */
export function parseInside(lines: readonly string[]): HostInside | null {
  const sections = new Map<string, string | null>();
  for (const line of lines) {
    const [, name, content] = /^inside ([\w-]+) ?(failed|[A-Za-z0-9+/=]*)$/.exec(line) ?? [];
    if (name !== undefined && content !== undefined)
      sections.set(name, content === 'failed' ? null : Buffer.from(content, 'base64').toString('utf8'));
  }
  if (sections.size === 0) return null;
  const getLines = (name: string) => (sections.get(name) ?? '').split('\n').filter((line) => line !== '');
  const defaultRoute = [...getLines('routes'), ...getLines('routes6')][0] ?? '';
  return {
    filter: parseFilterSections(sections),
    interfaces: parseInterfaces(getLines('links'), getLines('addresses')),
    defaultInterface: /\bdev (\S+)/.exec(defaultRoute)?.[1] ?? null,
    keepalived: {
      isRunning: lines.includes('keepalived runs'),
      journal: getLines('journal').map((line) => sanitizeLine(redact(line), 300)),
    },
  };
}

function parseFilterSections(sections: ReadonlyMap<string, string | null>): HostInside['filter'] {
  const tools = [NFT, LISTING, ...TABLE_TOOLS].filter((tool) => sections.has(tool));
  if (tools.length === 0) return null;
  const [json, listing] = [sections.get(NFT) ?? null, sections.get(LISTING) ?? null];
  return {
    nft: json === null || listing === null ? null : { json, listing },
    tables: TABLE_TOOLS.flatMap((tool) => {
      const text = sections.get(tool) ?? null;
      return text === null ? [] : [{ tool, text }];
    }),
    isComplete: tools.every((tool) => sections.get(tool) !== null),
  };
}

/** Parses the one-line output of `ip -o link` and `ip -o addr` (ip-address(8)). */
export function parseInterfaces(links: readonly string[], addresses: readonly string[]): NetworkInterface[] {
  const byInterface = Map.groupBy(
    addresses.flatMap((line) => {
      const [, name = '', address = ''] = /^\d+: (\S+) +inet6? (\S+)/.exec(line) ?? [];
      return name === ''
        ? []
        : [{ name, address: address.includes('/') ? address : `${address}/${address.includes(':') ? 128 : 32}` }];
    }),
    ({ name }) => name,
  );
  return links.flatMap((line) => {
    const [, name = ''] = /^\d+: ([^\s:@]+)/.exec(line) ?? [];
    const [, mac = ''] = /link\/ether ([0-9a-f:]{17})/.exec(line) ?? [];
    return name === '' ? [] : [{ name, mac, addresses: (byInterface.get(name) ?? []).map(({ address }) => address) }];
  });
}
