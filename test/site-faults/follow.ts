import { expect } from 'vitest';
import { type DebianMachineName, openRealSite, type RealSite, type SiteFinding } from '../support/real-site.ts';
import { listFailed, type SiteFault } from './fault.ts';
import { compareRemedies, isSelected, type RemedyRow, showPlay } from './scoreboard.ts';

const MACHINES: Readonly<Record<string, DebianMachineName>> = {
  bastion: 'bastion',
  ns1: 'ns1',
  lb1: 'lb1',
  '172.16.0.101': 'bastion',
  '172.16.0.102': 'ns1',
  '172.16.0.112': 'lb1',
  '172.16.0.110': 'lb1',
  '172.16.0.111': 'lb1',
};
const MACHINE_PATTERN = /\b(?:bastion|ns1|lb1|172\.16\.0\.1(?:01|02|10|11|12))\b/g;
const findMachines = (text: string) => [...text.matchAll(MACHINE_PATTERN)].flatMap(([word]) => MACHINES[word] ?? []);

/** A word in capitals that the user has to replace. */
const PLACEHOLDER = /(?<![\w$'"-])[A-Z][A-Z-]{3,}(?![\w=])/;

/**
 * Follows a remedy with nothing but its words: its commands, and install.sh where it says so, on the machine that it
 * names, or that the subject names if the remedy says "there". Returns what was run, as `machine: command`.
 */
async function followRemedy(site: RealSite, { remedy, subject }: SiteFinding): Promise<string[]> {
  const text = remedy ?? '';
  const there = /\b(?:there|that host)\b/i.test(text);
  const [named = there ? (findMachines(subject ?? '')[0] ?? 'bastion') : 'bastion'] = findMachines(
    text.replaceAll(/`[^`]*`/g, ''),
  );
  const commands = [...text.matchAll(/`([^`]+)`/g)].flatMap(([, command = '']) =>
    PLACEHOLDER.test(command) ? [] : [command],
  );
  // On the site, the files of each host are where the wizard has generated them.
  const steps = commands.map((command) =>
    command.replace('/root/upi-wizard/install.sh', `/tmp/lab/${named}/root/upi-wizard/install.sh`),
  );
  for (const command of steps) await site.shell(named, `timeout 20 bash -c ${quote(command)} </dev/null || true`);
  return steps.map((command) => `${named}: ${command}`);
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
    const [first] = listFailed((await site.check()).findings);
    const steps = first === undefined ? [] : await followRemedy(site, first);
    // A load balancer takes its addresses and members some seconds after its start.
    let left = steps.length === 0 ? [] : listFailed((await site.check()).findings);
    for (let tries = 0; tries < 3 && left.length > 0; tries += 1) left = listFailed((await site.check()).findings);
    const isThere = left.some(({ id, subject }) => id === first?.id && subject === first.subject);
    const result = steps.length === 0 ? 'WORDS' : isThere ? 'NOT' : left.length > 0 ? 'PART' : 'MENDED';
    const row = {
      id: fault.id,
      kind: String(fault.kind),
      failed: `${first?.id ?? ''} ${first?.subject ?? ''}`.trim(),
      result,
    } as const;
    rows.push(row);
    showPlay({ row, remedy: first?.remedy, steps, left });
    // The site is set up again where the change of a remedy cannot be undone.
    try {
      await site.restore();
      expect(listFailed((await site.check()).findings)).toEqual([]);
    } catch {
      site = await openRealSite();
    }
  }
  expect(compareRemedies('remedies', title, rows)).toEqual([]);
}
