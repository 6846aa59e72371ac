import { catalogue } from '../../text/catalogue.ts';
import { portsOf } from './evidence.ts';
import { stuckRule } from './stuck.ts';

const words = () => catalogue().diagnosis.bootstrap;
const named = (nodes: readonly { readonly name: string }[]) => nodes.map(({ name }) => name).join(', ');

/** Control plane nodes do not join. */
export const absent = stuckRule('nodes-absent', ({ members }) => {
  const { cause, whatToDo } = words()['nodes-absent'];
  return [{ cause: cause(named(members.filter(({ hasJoined }) => !hasJoined))), whatToDo }];
});

/** Control plane nodes joined, and do not become Ready. */
export const notReady = stuckRule('nodes-not-ready', ({ members }) => {
  const { cause, whatToDo } = words()['nodes-not-ready'];
  return [{ cause: cause(named(members.filter(({ isReady }) => !isReady))), whatToDo }];
});

/** Control plane nodes are Ready, and their own API servers do not start. */
export const notServing = stuckRule('nodes-not-serving', (evidence) => {
  const closed = portsOf(evidence, 'control-plane', 6443).filter(({ state }) => state !== 'open');
  const { cause, whatToDo } = words()['nodes-not-serving'];
  return [{ cause: cause(closed.map(({ host }) => host).join(', ')), whatToDo }];
});
