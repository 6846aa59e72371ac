import { diagnosticRule, matchLogLines, type Symptom, symptomsFromLines } from '../diagnostic-rule.ts';
import type { Evidence, ObservedMachine } from '../evidence.ts';
import {
  hasLeasedAgain,
  listRebootedMachines,
  listStalledInLiveSystem,
  listStalledInstalls,
} from './stalled-machines.ts';

/** The machine has no disk with the name of the installation disk. */
export const installDiskWrong = diagnosticRule('install-disk-wrong', 'boot', (evidence) => {
  const lines = matchLogLines(
    evidence,
    /(?:coreos-installer|install_dev|opening|checking for exclusive access).*\/dev\/\S+.*(?:No such file|not found|does not exist|not a block device)|\/dev\/\S+ (?:is not a block device|does not exist)/i,
  );
  if (lines.length > 0) return symptomsFromLines(lines, 'certain', 'lsblk -d -o NAME,SIZE,MODEL,WWN');
  const rebooted = listRebootedMachines(evidence);
  return [
    ...listStalledInLiveSystem(evidence).map((machine) => {
      const further = listContinuedMachines(evidence, machine);
      return further.length > 0
        ? createComparedSymptom(machine, further, 'no request for its ignition file')
        : createPossibleSymptom(machine);
    }),
    ...listStalledInstalls(evidence).map((machine) =>
      rebooted.length > 0 && hasLeasedAgain(evidence, machine) === false
        ? createComparedSymptom(machine, rebooted, 'no DHCP request')
        : createPossibleSymptom(machine),
    ),
  ];
});

/** From outside, a machine without a disk to write only shows that it goes silent. */
function createPossibleSymptom({ name, address, lastRequest }: ObservedMachine): Symptom {
  const symptom = `${lastRequest?.path ?? ''} fetched; then nothing from ${address}`;
  return { likelihood: 'possible', subject: name, symptom, command: 'lsblk -d -o NAME,SIZE,MODEL,WWN' };
}

/** Lists the machines that continued with the same root file system. */
function listContinuedMachines({ machines }: Evidence, { lastRequest }: ObservedMachine): ObservedMachine[] {
  const has = (requests: ObservedMachine['requests'], isIt: (path: string) => boolean) =>
    requests.some(({ path, status }) => status < 400 && isIt(path));
  return machines.filter(
    ({ requests }) =>
      has(requests, (path) => path === lastRequest?.path) && has(requests, (path) => path.startsWith('/ignition/')),
  );
}

/**
 * The other machines continued with the same files: the difference is its own hardware, and first its disk.
 * @param missing request that the machine did not send
 */
function createComparedSymptom(machine: ObservedMachine, others: readonly ObservedMachine[], missing: string): Symptom {
  const { name, lastRequest } = machine;
  const continued = others.map((each) => each.name).join(', ');
  const symptom = `${name}: ${lastRequest?.path ?? ''} fetched, ${missing} since; ${continued} went on`;
  return { ...createPossibleSymptom(machine), likelihood: 'likely', symptom };
}
