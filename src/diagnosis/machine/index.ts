import { catalogue } from '../../i18n/catalogue.ts';
import type { Finding } from '../finding.ts';
import { checkRules, evaluateRules, type Rule } from '../rule.ts';
import type { MachineEvidence } from './evidence.ts';
import { servicePorts } from './ports.ts';
import { installer, nodeVersion, oc, servicePrograms, ssh } from './programs.ts';
import { directory, diskSpace, memory, processors, pullSecret, sshKey } from './resources.ts';
import {
  clockSync,
  firewall,
  logoutSurvival,
  nameServers,
  outsideNames,
  rootAccess,
  selinux,
  timeZone,
  umask,
} from './system.ts';
import { multiplexer, terminalColour, terminalSize, terminalUnicode } from './terminal.ts';

const words = () => catalogue().diagnosis.machine;

const RULES: readonly Rule<MachineEvidence>[] = [
  ...checkRules([nodeVersion, installer, oc, pullSecret, sshKey, directory, diskSpace, memory, processors, ssh], words),
  servicePrograms,
  servicePorts,
  ...checkRules([rootAccess, umask, logoutSurvival, clockSync, timeZone, nameServers], words),
  outsideNames,
  ...checkRules([firewall, selinux, terminalSize, terminalUnicode, terminalColour, multiplexer], words),
];

/** The ids of these checks. */
export const MACHINE_CODES: readonly string[] = RULES.map(({ code }) => code);

/**
 * Checks, before the installation begins, whether this machine has everything that an installation needs. `fatal`: no
 * installation without it.
 */
export function checkMachine(evidence: MachineEvidence): Finding[] {
  return evaluateRules(RULES, evidence);
}
