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
