import { type Clue, cause, clueOfLines, told } from '../cause.ts';
import type { Evidence, MachineSeen } from '../evidence.ts';
import { cameBack, leasedAgain, stoppedInLive, stoppedInstalling } from './installation-stopped.ts';

/** The machine has no disk of the name that it shall be installed on. */
export const installDiskWrong = cause('install-disk-wrong', 'boot', (evidence) => {
  const lines = told(
    evidence,
    /(?:coreos-installer|install_dev|opening|checking for exclusive access).*\/dev\/\S+.*(?:No such file|not found|does not exist|not a block device)|\/dev\/\S+ (?:is not a block device|does not exist)/i,
  );
  if (lines.length > 0) return clueOfLines(lines, 'certain', 'lsblk -d -o NAME,SIZE,MODEL,WWN');
  const back = cameBack(evidence);
  return [
    ...stoppedInLive(evidence).map((machine) => {
      const further = wentFurther(evidence, machine);
      return further.length > 0 ? alone(machine, further, 'no request for its ignition file') : guess(machine);
    }),
    ...stoppedInstalling(evidence).map((machine) =>
      back.length > 0 && leasedAgain(evidence, machine) === false
        ? alone(machine, back, 'no DHCP request')
        : guess(machine),
    ),
  ];
});

/** From outside, all that a machine without a disk to write shows is that it goes silent. */
function guess({ name, address, lastRequest }: MachineSeen): Clue {
  const symptom = `${lastRequest?.path ?? ''} fetched; then nothing from ${address}`;
  return { likelihood: 'possible', subject: name, symptom, command: 'lsblk -d -o NAME,SIZE,MODEL,WWN' };
}

/** The machines that went on with the same root file system. */
function wentFurther({ machines }: Evidence, { lastRequest }: MachineSeen): MachineSeen[] {
  const has = (requests: MachineSeen['requests'], isIt: (path: string) => boolean) =>
    requests.some(({ path, status }) => status < 400 && isIt(path));
  return machines.filter(
    ({ requests }) =>
      has(requests, (path) => path === lastRequest?.path) && has(requests, (path) => path.startsWith('/ignition/')),
  );
}

/** The others went on with the same files: what differs is its own hardware, and first its disk. @param missing what it did not do */
function alone(machine: MachineSeen, others: readonly MachineSeen[], missing: string): Clue {
  const { name, lastRequest } = machine;
  const went = others.map((each) => each.name).join(', ');
  const symptom = `${name}: ${lastRequest?.path ?? ''} fetched, ${missing} since; ${went} went on`;
  return { ...guess(machine), likelihood: 'likely', symptom };
}
