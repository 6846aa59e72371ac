import { catalogue } from '../../i18n/catalogue.ts';
import { stuckRule } from './stuck-rule.ts';

const words = () => catalogue().diagnosis.bootstrap;

/** The control plane serves its API, but the bootstrap does not complete. */
export const bootstrapLate = stuckRule('bootstrap-late', ({ machine }) => {
  const { cause, remedy } = words()['bootstrap-late'];
  return [{ cause, remedy: remedy(machine.address) }];
});

/** The etcd operator does not remove the bootstrap member. */
export const etcdBootstrapMember = stuckRule('etcd-bootstrap-member', () => [words()['etcd-bootstrap-member']]);
