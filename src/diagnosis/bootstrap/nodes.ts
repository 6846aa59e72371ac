import { catalogue } from '../../i18n/catalogue.ts';
import { findPorts } from './evidence.ts';
import { stuckRule } from './stuck-rule.ts';

const words = () => catalogue().diagnosis.bootstrap;
const joinNames = (nodes: readonly { readonly name: string }[]) => nodes.map(({ name }) => name).join(', ');

/** Control plane nodes do not join. */
export const nodesAbsent = stuckRule('nodes-absent', ({ members }) => {
  const { cause, remedy } = words()['nodes-absent'];
  return [{ cause: cause(joinNames(members.filter(({ hasJoined }) => !hasJoined))), remedy }];
});

/** Control plane nodes joined but do not become Ready. */
export const nodesNotReady = stuckRule('nodes-not-ready', ({ members }) => {
  const { cause, remedy } = words()['nodes-not-ready'];
  return [{ cause: cause(joinNames(members.filter(({ isReady }) => !isReady))), remedy }];
});

/** Control plane nodes are Ready, but their API servers do not start. */
export const nodesNotServing = stuckRule('nodes-not-serving', (evidence) => {
  const closed = findPorts(evidence, 'control-plane', 6443).filter(({ state }) => state !== 'open');
  const { cause, remedy } = words()['nodes-not-serving'];
  return [{ cause: cause(closed.map(({ host }) => host).join(', ')), remedy }];
});
