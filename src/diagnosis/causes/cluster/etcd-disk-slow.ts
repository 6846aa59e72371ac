import { cause, clueOfLines, told } from '../cause.ts';

/** etcd changes its leader once or twice while its members join. */
const OFTEN = 5;

/** etcd waits for its disk. */
export const etcdDiskSlow = cause('etcd-disk-slow', 'requirements', (evidence) => {
  const operators = (evidence.cluster?.operators ?? []).filter(
    ({ wait }) => wait?.code === 'etcd-slow' && !wait.isNormal,
  );
  const command =
    'fio --rw=write --ioengine=sync --fdatasync=1 --directory=/var/lib/etcd --size=22m --bs=2300 --name=etcd';
  const said = operators.map(({ name, message }) => ({
    likelihood: 'likely' as const,
    subject: name,
    symptom: message,
    command,
  }));
  const lines = told(
    evidence,
    /etcdserver: (?:request timed out|leader changed)|slow fdatasync|took too long.*expected-duration/,
    OFTEN,
  );
  return [...said, ...clueOfLines(lines.slice(-1), 'likely', command)];
});
