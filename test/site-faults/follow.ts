import { expect } from 'vitest';
import { type DebianMachineName, openRealSite, type RealSite, type SiteFinding } from '../support/real-site.ts';
import { listFailed, type SiteFault } from './fault.ts';
import { compareRemedies, isSelected, type RemedyRow, showPlay } from './scoreboard.ts';

const MACHINES: Readonly<Record<string, DebianMachineName | 'company'>> = {
  'this machine': 'bastion',
  bastion: 'bastion',
  ns1: 'ns1',
  lb1: 'lb1',
  '172.16.0.101': 'bastion',
  '172.16.0.102': 'ns1',
  '172.16.0.112': 'lb1',
  '172.16.0.110': 'lb1',
  '172.16.0.111': 'lb1',
  '192.168.124.1': 'company',
};
const CARD = '[\\da-f]{2}(?::[\\da-f]{2}){5}';
const MACHINE_PATTERN = new RegExp(
  `\\b(?:this machine|bastion|ns1|lb1|172\\.16\\.0\\.1(?:01|02|10|11|12)|192\\.168\\.124\\.1|${CARD})\\b`,
  'g',
);

/** A word in capitals that the user has to replace; those of iptables stand as they are. */
const PLACEHOLDER = /(?<![\w$'"-])(?!(?:ACCEPT|DROP|REJECT|INPUT|OUTPUT|FORWARD)\b)[A-Z][A-Z-]{3,}(?![\w=])/;
/** A command that only shows something fixes nothing. */
const ONLY_SHOWS =
  /^(?:sudo )?(?:ss|journalctl|date -u$|date -u;|openssl s_client|ping|dig|getent|curl -\w*[kIv]|chronyc (?:sources|tracking)|ip route (?:get|show)|timeout \d+ bash -c '<\/dev|nft list|nc -vz|tcpdump|ssh core@|oc get|nmcli -[fg]|iptables-save$|which )/;

/**
 * Follows a remedy with nothing but its words: each of its commands on the machine that the words before it name, or
 * that the subject names if they say "there". Returns what was run, as `machine: command`.
 */
async function followRemedy(site: RealSite, { remedy, subject }: SiteFinding): Promise<string[]> {
  const steps: string[] = [];
  let machine: string | null = null;
  // Words and commands alternate.
  for (const [index, part] of (remedy ?? '').split('`').entries()) {
    if (index % 2 === 0) {
      machine = (await findMachine(site, part)) ?? machine;
      if (machine === null && /\b(?:there|that host)\b/i.test(part)) machine = await findMachine(site, subject ?? '');
      continue;
    }
    if (PLACEHOLDER.test(part) || ONLY_SHOWS.test(part)) continue;
    const where = machine ?? 'bastion';
    // On the site, the files of each host are where the wizard has generated them.
    const command = part.replaceAll('/root/upi-wizard/', `/tmp/lab/${where}/root/upi-wizard/`);
    // The next command of the wizard is run in the same shell.
    const exported = /^export (.+)$/.exec(command)?.[1]?.split(' ') ?? [];
    site.setEnvironment(
      Object.fromEntries(exported.map((word) => [word.split('=')[0] ?? '', word.replace(/^\w+=/, '')])),
    );
    await site.shell(where, `timeout 20 bash -c ${quote(command)} </dev/null || true`);
    steps.push(`${where}: ${command}`);
  }
  return steps;
}

/** Finds the last machine that a text names, by its name, its address or its network card. */
async function findMachine(site: RealSite, text: string): Promise<string | null> {
  const word = [...text.matchAll(MACHINE_PATTERN)].at(-1)?.[0] ?? '';
  if (!word.includes(':')) return MACHINES[word] ?? null;
  const found = await site.shell(
    null,
    `for name in $(ip netns list | cut -d' ' -f1); do ! ip -n "$name" link show lan0 | grep -q ${word} || echo "$name"; done`,
  );
  return found.trim().split('\n').at(-1) || null;
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Plants each fault, follows the remedy of the first failure word for word, and checks again. `MENDED`: nothing fails
 * any more. `PART`: this failure is gone. `NOT`: it is still there. `WORDS`: there is nothing that could be run.
 */
export async function playRemedies(title: string, faults: readonly SiteFault[]): Promise<void> {
  let site = await openRealSite();
  const rows: RemedyRow[] = [];
  for (const fault of faults.filter(({ id }) => isSelected(id))) {
    await fault.plant(site);
    const { findings, seconds } = await site.check();
    const [first] = listFailed(findings);
    const steps = first === undefined ? [] : await followRemedy(site, first);
    // A load balancer takes its addresses and members some seconds after its start.
    let left = steps.length === 0 ? [] : listFailed((await site.check()).findings);
    for (let tries = 0; tries < 3 && left.length > 0; tries += 1) left = listFailed((await site.check()).findings);
    const isPresent = left.some(({ id, subject }) => id === first?.id && subject === first.subject);
    const result = steps.length === 0 ? 'WORDS' : isPresent ? 'NOT' : left.length > 0 ? 'PART' : 'MENDED';
    const row = {
      id: fault.id,
      kind: String(fault.kind),
      failed: `${first?.id ?? ''} ${first?.subject ?? ''}`.trim(),
      result,
      byHand: result === 'WORDS' ? (fault.byHand ?? '') : '',
    } as const;
    rows.push(row);
    showPlay({ row, seconds, first, steps, left });
    // The site is set up again where the change of a remedy cannot be undone.
    try {
      await site.restore();
      expect(listFailed((await site.check()).findings)).toEqual([]);
    } catch {
      site = await openRealSite();
    }
  }
  expect(rows.filter(({ result, byHand }) => result === 'WORDS' && byHand === '')).toEqual([]);
  expect(compareRemedies('remedies', title, rows)).toEqual([]);
}
