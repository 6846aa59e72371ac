import { CREDENTIAL_RULES, type CredentialRule, READING_RULES, type ReadingRule } from '../../design/reading-rules.ts';
import { RULE_FAMILIES, type RuleFamily } from '../../design/rules/index.ts';
import type { Rule } from '../../design/rules/rule.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Block, heading, longTerms, type Term, text } from './page.ts';

const words = () => catalogue().help.rules;

/** Every rule for a design, in families, and those for reading the files. */
export function rulesPage(): readonly Block[] {
  const { intro, once, readingTitle, credentialsTitle } = words();
  const families: Readonly<Record<RuleFamily, string>> = words().families;
  const reading: Readonly<Record<ReadingRule, string>> = words().reading;
  const credentials: Readonly<Record<CredentialRule, string>> = words().credentials;
  return [
    text(intro),
    text(once),
    heading(readingTitle),
    longTerms(READING_RULES.map((rule) => term(rule, 'error', [reading[rule]]))),
    ...keysOf(RULE_FAMILIES).flatMap((family) => [
      heading(families[family]),
      longTerms(RULE_FAMILIES[family].map(ruleTerm)),
    ]),
    heading(credentialsTitle),
    longTerms(keysOf(CREDENTIAL_RULES).map((rule) => term(rule, CREDENTIAL_RULES[rule], [credentials[rule]]))),
  ];
}

function ruleTerm({ id, severity, title, source }: Rule): Term {
  return term(id, severity, [`${title()}.`, words().source(source)]);
}

function term(id: string, severity: Rule['severity'], lines: readonly string[]): Term {
  return { name: `${id}  ${words().severities[severity]}`, lines };
}

const keysOf = <Key extends string>(table: Readonly<Record<Key, unknown>>) => Object.keys(table) as Key[];
