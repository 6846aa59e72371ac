import { catalogue } from '../../text/catalogue.ts';
import type { Finding } from '../finding.ts';
import { checkRules, judge, type Rule } from '../rule.ts';
import type { MachineEvidence } from './evidence.ts';
import { directory, diskSpace, memory, processors, pullSecret, sshKey } from './place.ts';
import { ports } from './ports.ts';
import { installer, nodeVersion, oc, services, ssh } from './programs.ts';
import {
  clockSync,
  firewall,
  lingering,
  nameServers,
  outsideNames,
  rights,
  selinux,
  timeZone,
  umask,
} from './system.ts';
import { multiplexer, terminalColour, terminalSize, terminalUnicode } from './terminal.ts';

const words = () => catalogue().diagnosis.machine;

const RULES: readonly Rule<MachineEvidence>[] = [
  ...checkRules([nodeVersion, installer, oc, pullSecret, sshKey, directory, diskSpace, memory, processors, ssh], words),
  services,
  ports,
  ...checkRules([rights, umask, lingering, clockSync, timeZone, nameServers], words),
  outsideNames,
  ...checkRules([firewall, selinux, terminalSize, terminalUnicode, terminalColour, multiplexer], words),
];

/** The ids of these checks. */
export const MACHINE_CODES: readonly string[] = RULES.map(({ code }) => code);

/** What this machine has and lacks for an installation, before it begins. `fatal`: no installation without it. */
export function judgeMachine(evidence: MachineEvidence): Finding[] {
  return judge(RULES, evidence);
}
