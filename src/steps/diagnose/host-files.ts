import type { Evidence } from '../../checks/rules/evidence.ts';
import { serviceHosts } from '../../design/derived-facts.ts';
import { sanitize } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';

import type { StepContext } from '../contract.ts';
import { generateStage } from '../shared/files/stage-output.ts';
import { readCommandOutput, readHostFile } from '../shared/hosts/host-command.ts';
import { getLiveStage } from '../shared/hosts/live-stage.ts';
import { buildLogCommand } from '../shared/machines/service-probe.ts';

const FILE_KINDS = ['haproxy', 'keepalived', 'isc-dhcpd', 'kea-dhcp4'] as const;
const MAX_LENGTH = 1024 * 1024;
/** System logs that hold the lines of the services. */
export const SYSTEM_LOGS = ['/var/log/messages', '/var/log/syslog'];
const MAX_LOG_BYTES = 512 * 1024;

/** Reads the configuration files of the services on their hosts; those that cannot be read from here are left out. */
export async function readServiceFiles(context: StepContext): Promise<Evidence['files']> {
  // The files on the hosts may be of any stage; their paths are the same in all.
  const { files } = await generateStage(context, getLiveStage(context)).catch(() => ({ files: [] }));
  const clean = (text: string) => sanitize(redact(text), MAX_LENGTH);
  const found = files.map(async ({ host, path, kind, content }) => {
    const known = FILE_KINDS.find((each) => each === kind);
    if (known === undefined || host === null) return [];
    const text = await readHostFile(context, host, path);
    return text === null ? [] : [{ host, kind: known, path, text: clean(text), planned: clean(content) }];
  });
  return (await Promise.all(found)).flat();
}

/** Reads the end of the DHCP server's log; empty if it cannot be read from here. */
export async function readDhcpLog(context: StepContext): Promise<string> {
  const { design, manualActions } = context;
  const host = serviceHosts(design).find(({ name }) => name === design.services.dhcp.server);
  if (host === undefined) return '';
  for (const path of SYSTEM_LOGS) {
    const text = await manualActions.readFile(host.name, path);
    if (text !== null) return text.slice(-MAX_LOG_BYTES);
  }
  return manualActions.isManual
    ? ((await readCommandOutput(context, host, buildLogCommand())) ?? '').slice(-MAX_LOG_BYTES)
    : '';
}
