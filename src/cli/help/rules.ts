import { CREDENTIAL_RULES, type CredentialRule, PARSE_RULES, type ParseRule } from '../../design/parse-rules.ts';
import { RULE_GROUPS, type RuleGroup } from '../../design/rules/index.ts';
import type { Rule } from '../../design/rules/rule.ts';
import { catalogue } from '../../i18n/catalogue.ts';

import { type Block, heading, longTerms, type Term, text } from './page.ts';

const words = () => catalogue().help.rules;

/** Returns the design rules by group, and the rules for parsing files and for credentials. */
export function rulesPage(): readonly Block[] {
  const { intro, once, readingTitle, credentialsTitle } = words();
  const groups: Readonly<Record<RuleGroup, string>> = words().families;
  const parseRules: Readonly<Record<ParseRule, string>> = words().reading;
  const credentials: Readonly<Record<CredentialRule, string>> = words().credentials;
  return [
    text(intro),
    text(once),
    heading(readingTitle),
    longTerms(PARSE_RULES.map((rule) => createTerm(rule, 'error', [parseRules[rule]]))),
    ...listKeys(RULE_GROUPS).flatMap((group) => [heading(groups[group]), longTerms(RULE_GROUPS[group].map(ruleTerm))]),
    heading(credentialsTitle),
    longTerms(listKeys(CREDENTIAL_RULES).map((rule) => createTerm(rule, CREDENTIAL_RULES[rule], [credentials[rule]]))),
  ];
}

function ruleTerm({ id, severity, title, source }: Rule): Term {
  return createTerm(id, severity, [`${title()}.`, words().source(source)]);
}

function createTerm(id: string, severity: Rule['severity'], lines: readonly string[]): Term {
  return { name: `${id}  ${words().severities[severity]}`, lines };
}

const listKeys = <Key extends string>(table: Readonly<Record<Key, unknown>>) => Object.keys(table) as Key[];
