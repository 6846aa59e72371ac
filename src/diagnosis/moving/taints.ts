import { INFRA_LABEL } from '../../design/infra-placement.ts';
import { catalogue } from '../../text/catalogue.ts';
import { shellWord } from '../../text/shell-word.ts';
import { check } from '../rule.ts';
import type { InfraNode, MovingEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.moving;

/** Set by Kubernetes itself, for a node that is unwell: that is looked at, not taken away. */
const OF_KUBERNETES = 'node.kubernetes.io/';

/** A taint of somebody else that what moves does not tolerate: its pods would find no node there. */
export const taints = check<MovingEvidence, 'move-taint'>('move-taint', 'fatal', ({ infra }) => {
  if (infra === null) return null;
  const found = infra.flatMap(({ name, repelling }) => repelling.map((taint) => ({ node: name, ...taint })));
  const [first] = found;
  if (first === undefined) return { state: 'ok' };
  const { key, effect } = first;
  const nodes = found.filter((one) => one.key === key && one.effect === effect).map(({ node }) => shellWord(node));
  const command = key.startsWith(OF_KUBERNETES)
    ? `oc describe nodes ${nodes.join(' ')}`
    : `oc adm taint nodes ${nodes.join(' ')} ${shellWord(`${key}:${effect}-`)}`;
  const detail = found.map((one) => words().taint(one.node.split('.')[0] ?? one.node, one)).join('; ');
  const { wrong } = words().checks['move-taint'];
  return { state: 'failed', detail, words: { wrong, remedy: words().taintFix(command) } };
});

/** What moves goes by the label: to a node that nobody planned, too, of which the load balancer knows nothing. */
export const strays = check<MovingEvidence, 'move-strays'>('move-strays', 'fatal', ({ strays: found }) => {
  if (found === null || found.length === 0) return null;
  const { wrong } = words().checks['move-strays'];
  const command = `oc label nodes ${found.map(shellWord).join(' ')} ${INFRA_LABEL}-`;
  return { state: 'failed', detail: found.join(', '), words: { wrong, remedy: words().unlabel(command) } };
});

/** A cordoned node takes no new pod, and what moves would wait for it. */
export const cordons = check<MovingEvidence, 'move-cordoned'>('move-cordoned', 'fatal', ({ infra }) => {
  const found = (infra ?? []).filter(({ isCordoned }) => isCordoned);
  if (found.length === 0) return null;
  const nameOf = ({ name }: InfraNode) => name;
  const { wrong } = words().checks['move-cordoned'];
  const command = `oc adm uncordon ${found.map(nameOf).map(shellWord).join(' ')}`;
  const detail = found.map(({ name }) => name.split('.')[0] ?? name).join(', ');
  return { state: 'failed', detail, words: { wrong, remedy: words().uncordon(command) } };
});
