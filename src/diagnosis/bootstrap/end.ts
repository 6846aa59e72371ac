import { catalogue } from '../../text/catalogue.ts';
import { stuckRule } from './stuck.ts';

const words = () => catalogue().diagnosis.bootstrap;

/** The control plane serves, and the bootstrap does not hand over. */
export const late = stuckRule('bootstrap-late', ({ machine }) => {
  const { cause, whatToDo } = words()['bootstrap-late'];
  return [{ cause, whatToDo: whatToDo(machine.address) }];
});

/** The etcd operator keeps the bootstrap as a member. */
export const etcdMember = stuckRule('etcd-bootstrap-member', () => [words()['etcd-bootstrap-member']]);
