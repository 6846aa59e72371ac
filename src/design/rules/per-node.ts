import { catalogue } from '../../text/catalogue.ts';
import type { Design, DesignNode } from '../model.ts';
import type { Path } from '../paths.ts';
import type { Report, Rule, Said } from './rule.ts';

const words = () => catalogue().designRules;

/** A rule that looks at one node at a time. */
export function perNode(
  rule: Omit<Rule, 'check'>,
  check: (node: DesignNode, report: (at: Path, said: Said) => void, design: Design) => void,
): Rule {
  return {
    ...rule,
    check(design, report) {
      for (const [index, node] of design.nodes.entries()) {
        check(node, (at, said) => report(['nodes', index, ...at], said), design);
      }
    },
  };
}

/** What is wrong with a node; where `group` is the same, many nodes suffer from one cause. */
interface NodeFault extends Said {
  readonly at: Path;
  readonly group: string;
}

/**
 * A rule that looks at one node at a time and tells of what many have in common once: at the first of them, with the names
 * of the others.
 * @param judgeOf looks up what the design needs once, and returns the judge of one node
 */
export function perCause(
  rule: Omit<Rule, 'check'>,
  judgeOf: (design: Design) => (node: DesignNode) => readonly NodeFault[],
): Rule {
  return {
    ...rule,
    check(design, report) {
      const faultsOf = judgeOf(design);
      const groups = new Map<string, Sufferer[]>();
      for (const [index, node] of design.nodes.entries()) {
        for (const fault of faultsOf(node)) {
          const known = groups.get(fault.group);
          const sufferer = { fault, at: ['nodes', index, ...fault.at], name: node.name };
          if (known) known.push(sufferer);
          else groups.set(fault.group, [sufferer]);
        }
      }
      for (const group of groups.values()) tellOnce(group, report);
    },
  };
}

interface Sufferer {
  readonly fault: NodeFault;
  readonly at: Path;
  readonly name: string;
}

/** At the first node that anything can be said of. */
function tellOnce(group: readonly Sufferer[], report: Report) {
  for (const sufferer of group) {
    const others = group.filter((other) => other !== sufferer).map(({ name }) => name);
    const { message, fix } = sufferer.fault;
    if (report(sufferer.at, { message: `${message}${words().alsoNodes(others)}`, fix })) return;
  }
}
