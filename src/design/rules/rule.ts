import { catalogue } from '../../i18n/catalogue.ts';
import type { Design, DesignNode, Problem } from '../model.ts';
import type { Path } from '../paths.ts';

/**
 * Reports a problem at a path of the design file. Returns false when the value there could not be read: the problem is
 * then not reported.
 */
export type ReportProblem = (path: Path, problem: ProblemText) => boolean;

/** The message of a problem, and what to do about it. */
interface ProblemText {
  readonly message: string;
  readonly fix: string;
  /** The other value of a pair that does not fit together. */
  readonly otherPath?: Path;
}

/** One requirement for a design: mandatory (error) or recommended (warning). */
export interface DesignRule {
  /** Stable, kebab-case; `upi-wizard help rules` lists them. */
  readonly id: string;
  /** `error`: the installation cannot work. `warning`: it can work, but at a risk. */
  readonly severity: Problem['severity'];
  /** Origin of the rule: a document, or a repository and path. */
  readonly source: string;
  /** The requirement, in one line. */
  readonly title: () => string;
  /**
   * Paths that the result depends on, besides the reported one. The rule reports nothing when a value there could not
   * be read.
   */
  readonly dependsOn?: readonly Path[];
  /** Must not throw for any design that fits the schema: text in it may be anything. */
  readonly check: (design: Design, report: ReportProblem) => void;
}

// Sources that several rules share.
export const INSTALLER_VALIDATION = 'openshift/installer pkg/types/validation/installconfig.go';
export const ASSISTED_VALIDATION = 'openshift/assisted-service internal/network/cidr_validations.go';
export const MINIMUM_RESOURCES_DOCS = 'openshift-docs modules/installation-minimum-resource-requirements.adoc';
export const STATIC_NETWORK_DOCS = 'openshift-docs modules/installation-user-infra-machines-static-network.adoc';

const words = () => catalogue().designRules;

/** Creates a rule that checks each node separately. */
export function createNodeRule(
  rule: Omit<DesignRule, 'check'>,
  check: (node: DesignNode, report: (path: Path, problem: ProblemText) => void, design: Design) => void,
): DesignRule {
  return {
    ...rule,
    check(design, report) {
      for (const [index, node] of design.nodes.entries()) {
        check(node, (path, problem) => report(['nodes', index, ...path], problem), design);
      }
    },
  };
}

/** A problem of a node. Equal values of `group` mean a common cause. */
interface NodeProblem extends ProblemText {
  readonly path: Path;
  readonly group: string;
}

/**
 * Creates a rule that checks each node. It reports a problem that several nodes share once: at the first of them, with
 * the names of the others.
 * @param createNodeCheck computes once what it needs from the design, and returns the check of one node
 */
export function createNodeGroupRule(
  rule: Omit<DesignRule, 'check'>,
  createNodeCheck: (design: Design) => (node: DesignNode) => readonly NodeProblem[],
): DesignRule {
  return {
    ...rule,
    check(design, report) {
      const checkNode = createNodeCheck(design);
      const groupByName = new Map<string, AffectedNode[]>();
      for (const [index, node] of design.nodes.entries()) {
        for (const problem of checkNode(node)) {
          const group = groupByName.get(problem.group);
          const affectedNode = { problem, path: ['nodes', index, ...problem.path], name: node.name };
          if (group) group.push(affectedNode);
          else groupByName.set(problem.group, [affectedNode]);
        }
      }
      for (const group of groupByName.values()) reportOnce(group, report);
    },
  };
}

/** A node with a problem, and the path of the value that is wrong. */
interface AffectedNode {
  readonly problem: NodeProblem;
  readonly path: Path;
  readonly name: string;
}

/** Reports the problem at the first node whose value could be read. */
function reportOnce(group: readonly AffectedNode[], report: ReportProblem) {
  for (const affectedNode of group) {
    const otherNames = group.filter((entry) => entry !== affectedNode).map(({ name }) => name);
    const { message, fix } = affectedNode.problem;
    if (report(affectedNode.path, { message: `${message}${words().alsoNodes(otherNames)}`, fix })) return;
  }
}

/** The ids of the rules for the form of a design file, which are checked before the design rules. All are errors. */
export const PARSE_RULES = [
  'syntax',
  'duplicate-key',
  'documents',
  'unknown-key',
  'required',
  'type',
  'choice',
  'range',
  'length',
  'version-not-text',
  'api-version',
] as const;
export type ParseRule = (typeof PARSE_RULES)[number];
