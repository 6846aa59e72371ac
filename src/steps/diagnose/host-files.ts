import { serviceHosts } from '../../design/names.ts';
import type { Evidence } from '../../diagnosis/causes/evidence.ts';
import { redact } from '../../text/redact.ts';
import { sanitize } from '../../text/sanitize.ts';
import type { StepContext } from '../contract.ts';
import { outputOf } from '../shared/files/output.ts';
import { liveStage } from '../shared/hosts/live-stage.ts';
import { readThere, sayThere } from '../shared/hosts/run-there.ts';
import { logCommand } from '../shared/machines/service-look.ts';

const KINDS = ['haproxy', 'keepalived', 'isc-dhcpd', 'kea-dhcp4'] as const;
const LARGEST = 1024 * 1024;
/** Where a DHCP server's lines are, as the system logs them. */
export const SYSTEM_LOGS = ['/var/log/messages', '/var/log/syslog'];
const LAST_BYTES = 512 * 1024;

/** The files that services run with, as they are on their hosts; those that cannot be read from here are left out. */
export async function filesSeen(context: StepContext): Promise<Evidence['files']> {
  // What stands there now may be of any stage; its place is the same in all.
  const { files } = await outputOf(context, liveStage(context)).catch(() => ({ files: [] }));
  const clean = (text: string) => sanitize(redact(text), LARGEST);
  const found = files.map(async ({ host, path, kind, content }) => {
    const known = KINDS.find((each) => each === kind);
    if (known === undefined || host === null) return [];
    const text = await readThere(context, host, path);
    return text === null ? [] : [{ host, kind: known, path, text: clean(text), planned: clean(content) }];
  });
  return (await Promise.all(found)).flat();
}

/** The end of what the DHCP server logged; empty where it cannot be read from here. */
export async function dhcpLog(context: StepContext): Promise<string> {
  const { design, hands } = context;
  const host = serviceHosts(design).find(({ name }) => name === design.services.dhcp.server);
  if (host === undefined) return '';
  for (const path of SYSTEM_LOGS) {
    const text = await hands.readFile(host.name, path);
    if (text !== null) return text.slice(-LAST_BYTES);
  }
  return hands.isPerson ? ((await sayThere(context, host, logCommand())) ?? '').slice(-LAST_BYTES) : '';
}
