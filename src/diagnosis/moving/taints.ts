import { INFRA_LABEL } from '../../design/infra-placement.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import { check } from '../rule.ts';
import type { InfraNode, MoveCheckEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.moving;

/**
 * Prefix of taints that Kubernetes sets on an unhealthy node: the remedy is to inspect the node, not to remove the
 * taint.
 */
const KUBERNETES_PREFIX = 'node.kubernetes.io/';

/** A taint that is not ours and that the relocated pods do not tolerate: they could not be scheduled on these nodes. */
export const taints = check<MoveCheckEvidence, 'move-taint'>('move-taint', 'fatal', ({ infra }) => {
  if (infra === null) return null;
  const found = infra.flatMap(({ name, repelling }) => repelling.map((taint) => ({ node: name, ...taint })));
  const [first] = found;
  if (first === undefined) return { state: 'ok' };
  const { key, effect } = first;
  const nodes = found.filter((one) => one.key === key && one.effect === effect).map(({ node }) => quoteShellArg(node));
  const command = key.startsWith(KUBERNETES_PREFIX)
    ? `oc describe nodes ${nodes.join(' ')}`
    : `oc adm taint nodes ${nodes.join(' ')} ${quoteShellArg(`${key}:${effect}-`)}`;
  const detail = found.map((one) => words().taint(one.node.split('.')[0] ?? one.node, one)).join('; ');
  const { wrong } = words().checks['move-taint'];
  return { state: 'failed', detail, words: { wrong, remedy: words().taintFix(command) } };
});

/**
 * The node selector uses the label: pods also go to an unplanned node with it, which the load balancer does not know.
 */
export const unplannedNodes = check<MoveCheckEvidence, 'move-strays'>(
  'move-strays',
  'fatal',
  ({ unplannedNodes: found }) => {
    if (found === null || found.length === 0) return null;
    const { wrong } = words().checks['move-strays'];
    const command = `oc label nodes ${found.map(quoteShellArg).join(' ')} ${INFRA_LABEL}-`;
    return { state: 'failed', detail: found.join(', '), words: { wrong, remedy: words().unlabel(command) } };
  },
);

/** A cordoned node accepts no new pods, and the move would wait for it. */
export const cordons = check<MoveCheckEvidence, 'move-cordoned'>('move-cordoned', 'fatal', ({ infra }) => {
  const found = (infra ?? []).filter(({ isCordoned }) => isCordoned);
  if (found.length === 0) return null;
  const getName = ({ name }: InfraNode) => name;
  const { wrong } = words().checks['move-cordoned'];
  const command = `oc adm uncordon ${found.map(getName).map(quoteShellArg).join(' ')}`;
  const detail = found.map(({ name }) => name.split('.')[0] ?? name).join(', ');
  return { state: 'failed', detail, words: { wrong, remedy: words().uncordon(command) } };
});
