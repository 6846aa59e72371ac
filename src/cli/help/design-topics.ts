import { CREDENTIAL_RULES, type CredentialRule } from '../../design/credentials.ts';
import { renderExampleFencingFile } from '../../design/example.ts';
import { type DesignKey, type DesignKeyDescription, listDesignKeys } from '../../design/keys.ts';
import { RULE_GROUPS, type RuleGroup } from '../../design/rules/index.ts';
import { type DesignRule, PARSE_RULES, type ParseRule } from '../../design/rules/rule.ts';
import {
  isDifferentForOkd,
  listVersionChanges,
  VERSION_SOURCES,
  type VersionProfile,
  type VersionProperty,
} from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { FILE_KINDS, type FileHost, type FileKind } from '../../steps/shared/reference.ts';
import { type Block, heading, longTerms, type Term, text, verbatim } from './page.ts';

/** A design with the required fields and little more, for the help page. */
export const SMALL_DESIGN = `apiVersion: upi-wizard/v1
kind: ClusterDesign
openshift: { version: "4.18" }
cluster: { name: ocp45, baseDomain: example.localdomain }
networks:
  machine: [{ cidr: 172.16.0.0/24, gateway: 172.16.0.254 }]
  company: [192.168.124.0/24]
endpoints: { api: 172.16.0.111, apiInt: 172.16.0.110, ingress: 172.16.0.111 }
nodes:
  - { name: bs, role: bootstrap, ip: 172.16.0.11, mac: "00:50:56:96:11:c2" }
  - { name: m1, role: control-plane, ip: 172.16.0.21, mac: "00:50:56:96:37:c8" }
  - { name: m2, role: control-plane, ip: 172.16.0.22, mac: "00:50:56:96:ec:a7" }
  - { name: m3, role: control-plane, ip: 172.16.0.23, mac: "00:50:56:96:e5:2f" }
  - { name: w1, role: compute, ip: 172.16.0.31, mac: "00:50:56:96:6b:da" }
  - { name: w2, role: compute, ip: 172.16.0.32, mac: "00:50:56:96:c1:c5" }
services:
  bastion: { name: bastion, ip: 172.16.0.101 }
  dns: { servers: [{ name: ns1, ip: 172.16.0.102 }], forwarders: [192.168.124.1] }
  loadBalancer: { servers: [{ name: lb1, ip: 172.16.0.112 }] }
  time: { servers: [192.168.124.1] }
credentials: { pullSecretFile: ./pull-secret.txt, sshKeyFile: ~/.ssh/id_ed25519.pub }
`;

const words = () => catalogue().help.design;

interface KeyTexts {
  readonly meaning: string;
  readonly fallback?: string;
}

/** Returns the table of versions: each property with its values, the first version of each, and the source. */
export function buildVersionsPage(): readonly Block[] {
  const { intro, facts, values, since, sinceOkd, source } = catalogue().help.versions;
  const meanings: Readonly<Partial<Record<VersionProperty, Readonly<Record<string, string>>>>> = values;
  const formatValue = (property: VersionProperty, value: VersionProfile[VersionProperty]) =>
    meanings[property]?.[String(value)] ?? formatPropertyValue(value);
  const listLines = (property: VersionProperty) => [
    ...listVersionChanges(property).map(({ since: version, value }) => since(version, formatValue(property, value))),
    ...(isDifferentForOkd(property)
      ? listVersionChanges(property, 'OKD').map(({ since: version, value }) =>
          sinceOkd(version, formatValue(property, value)),
        )
      : []),
    source(VERSION_SOURCES[property]),
  ];
  // The keys are those of the table.
  const properties = Object.keys(VERSION_SOURCES) as VersionProperty[];
  return [
    text(intro),
    longTerms(properties.map((property) => ({ name: facts[property], lines: listLines(property) }))),
  ];
}

function formatPropertyValue(value: VersionProfile[VersionProperty]): string {
  const { none, flags, size, timeouts } = catalogue().help.versions;
  if (value === null) return none;
  if (typeof value === 'boolean') return value ? flags.true : flags.false;
  if (typeof value !== 'object') return String(value);
  if ('bootstrap' in value) return timeouts(value);
  const entries = value.map((entry) =>
    typeof entry === 'string' ? entry : 'cidr' in entry ? `${entry.name} ${entry.cidr}` : size(entry),
  );
  return entries.length === 0 ? none : entries.join(', ');
}

/** Returns every key of the design file, from its schema. */
export function buildDesignPage(): readonly Block[] {
  const { intro, make, schemaLine, strict, names, exampleTitle, fencingTitle, keysTitle } = words();
  const keys: Readonly<Record<DesignKey, KeyTexts>> = words().keys;
  return [
    text(intro),
    text(make),
    verbatim(schemaLine),
    text(strict),
    text(names),
    heading(exampleTitle),
    verbatim(SMALL_DESIGN.trimEnd()),
    heading(fencingTitle),
    verbatim(renderExampleFencingFile(['m1', 'm2']).trimEnd()),
    heading(keysTitle),
    longTerms(
      listDesignKeys().map((description) => ({
        name: description.key,
        lines: formatKey(description, keys[description.key]),
      })),
    ),
  ];
}

function formatKey(description: DesignKeyDescription, { meaning, fallback }: KeyTexts): string[] {
  const defaultText = fallback ?? description.defaultValue;
  return [
    meaning,
    `${formatType(description)} ${defaultText === null ? words().required : words().defaultValue(defaultText)}`,
  ];
}

function formatType({ type, choices }: DesignKeyDescription): string {
  const { types } = words();
  return type === 'choice' ? types.choice(choices.join(', ')) : types[type];
}

const ruleWords = () => catalogue().help.rules;

/** Returns the design rules by group, and the rules for parsing files and for credentials. */
export function buildRulesPage(): readonly Block[] {
  const { intro, once, readingTitle, credentialsTitle } = ruleWords();
  const groups: Readonly<Record<RuleGroup, string>> = ruleWords().families;
  const parseRules: Readonly<Record<ParseRule, string>> = ruleWords().reading;
  const credentials: Readonly<Record<CredentialRule, string>> = ruleWords().credentials;
  return [
    text(intro),
    text(once),
    heading(readingTitle),
    longTerms(PARSE_RULES.map((rule) => createTerm(rule, 'error', [parseRules[rule]]))),
    ...listKeys(RULE_GROUPS).flatMap((group) => [
      heading(groups[group]),
      longTerms(RULE_GROUPS[group].map(createRuleTerm)),
    ]),
    heading(credentialsTitle),
    longTerms(listKeys(CREDENTIAL_RULES).map((rule) => createTerm(rule, CREDENTIAL_RULES[rule], [credentials[rule]]))),
  ];
}

function createRuleTerm({ id, severity, title, source }: DesignRule): Term {
  return createTerm(id, severity, [`${title()}.`, ruleWords().source(source)]);
}

function createTerm(id: string, severity: DesignRule['severity'], lines: readonly string[]): Term {
  return { name: `${id}  ${ruleWords().severities[severity]}`, lines };
}

const listKeys = <Key extends string>(table: Readonly<Record<Key, unknown>>) => Object.keys(table) as Key[];

const fileWords = () => catalogue().help.files;

/** Returns every kind of generated file, from the table of the generators. */
export function buildFilesPage(): readonly Block[] {
  const { intro, install, edited, manifest, names, kindsTitle, onHost, reader, bootTitle, boot } = fileWords();
  const kinds: Readonly<Record<FileKind, { readonly meaning: string; readonly reader: string }>> = fileWords().kinds;
  const hosts: Readonly<Record<FileHost, string>> = fileWords().hosts;
  return [
    ...[intro, install, edited, manifest].map(text),
    heading(kindsTitle),
    text(names),
    longTerms(
      FILE_KINDS.map(({ kind, host, paths }) => {
        const { meaning, reader: readerText } = kinds[kind];
        return { name: kind, lines: [meaning, onHost(hosts[host], paths.join(', ')), reader(readerText)] };
      }),
    ),
    heading(bootTitle),
    text(boot),
  ];
}
