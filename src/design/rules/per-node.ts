import { designRules as words } from '../../text/en/design-rules.ts';
import type { Design, DesignNode } from '../model.ts';
import type { Path } from '../paths.ts';
import type { Rule, Said } from './rule.ts';

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
 * @param judgeOf what is looked up once for the design; it gives what judges a node
 */
export function perCause(
  rule: Omit<Rule, 'check'>,
  judgeOf: (design: Design) => (node: DesignNode) => readonly NodeFault[],
): Rule {
  return {
    ...rule,
    check(design, report) {
      const faultsOf = judgeOf(design);
      const groups = new Map<string, { readonly first: NodeFault; readonly at: Path; readonly others: string[] }>();
      for (const [index, node] of design.nodes.entries()) {
        for (const fault of faultsOf(node)) {
          const known = groups.get(fault.group);
          if (known) known.others.push(node.name);
          else groups.set(fault.group, { first: fault, at: ['nodes', index, ...fault.at], others: [] });
        }
      }
      for (const { first, at, others } of groups.values()) {
        report(at, { message: `${first.message}${words.alsoNodes(others)}`, fix: first.fix });
      }
    },
  };
}
