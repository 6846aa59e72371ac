import type { Evidence } from './evidence.ts';

/**
 * A string, or a comment of any of the three kinds that Kea ignores. Kea also ignores a comma before a closing bracket
 * (Kea Administrator Reference Manual, 4.1 "JSON syntax").
 */
const STRING_OR_IGNORED = /("(?:[^"\\]|\\.)*")|\/\*[\s\S]*?\*\/|(?:\/\/|#).*$/gm;

/** Parses a configuration file of Kea; null if it is not valid. */
export function parseKeaConfig(text: string): unknown {
  const plainText = text.replaceAll(STRING_OR_IGNORED, '$1').replaceAll(/,(\s*[\]}])/g, '$1');
  try {
    return JSON.parse(plainText);
  } catch {
    return null;
  }
}

/**
 * A setting of a DHCP server. `machine`: empty for a whole network; `condition`: empty for always.
 */
export interface DhcpSetting {
  readonly machine: string;
  readonly condition: string;
  readonly name: string;
  readonly value: string;
}

/** The settings of a file as it is on its host, and as it was generated. */
interface FileSettings {
  readonly actualSettings: readonly DhcpSetting[];
  readonly plannedSettings: readonly DhcpSetting[];
}

export type ConfigFile = Evidence['files'][number];

/** Cache: several rules read the same file, and a large site has thousands of settings. */
const settingsCache = new WeakMap<ConfigFile, FileSettings>();

export function getFileSettings(file: ConfigFile): FileSettings {
  const { kind, text, plannedText } = file;
  const settings = settingsCache.get(file) ?? {
    actualSettings: parseSettings(kind, text),
    plannedSettings: parseSettings(kind, plannedText),
  };
  settingsCache.set(file, settings);
  return settings;
}

function parseSettings(kind: ConfigFile['kind'], text: string): DhcpSetting[] {
  return kind === 'kea-dhcp4' ? collectKeaSettings(parseKeaConfig(text), '', '') : parseDhcpdSettings(text);
}

/**
 * Parses the settings of dhcpd.conf(5), whose statements end with `;`. A statement in the block of a host applies to
 * that host; one after `if` is conditional.
 */
function parseDhcpdSettings(text: string): DhcpSetting[] {
  const blocks: string[] = [];
  const settings: DhcpSetting[] = [];
  let statement = '';
  // A quoted string may contain characters that otherwise end a statement.
  for (const [part] of text.replaceAll(/^((?:"[^"\n]*"|[^"#\n])*)#.*$/gm, '$1').matchAll(/"[^"\n]*"|[;{}]|[^;{}"]+/g)) {
    if (part === '{') blocks.push(statement.trim().replaceAll(/\s+/g, ' '));
    else if (part === '}') blocks.pop();
    else if (part !== ';') {
      statement += part;
      continue;
    } else settings.push(...parseDhcpdStatement(statement, blocks));
    statement = '';
  }
  return settings;
}

function parseDhcpdStatement(statement: string, blocks: readonly string[]): DhcpSetting[] {
  const match = /^(?:option\s+)?(hardware\s+ethernet|[a-z][\w-]*)\s+([\s\S]+)$/.exec(statement.trim());
  const [, name = '', value = ''] = match ?? [];
  if (name === '') return [];
  const machine = blocks.flatMap((block) => /^host (\S+)$/.exec(block)?.[1] ?? []).at(-1) ?? '';
  const condition = blocks.filter((block) => /^(?:if|elsif|else|class)\b/.test(block)).at(-1) ?? '';
  return [
    {
      machine,
      condition: condition.replace(/^(?:els)?if /, ''),
      name: name.replace(/\s+/, ' '),
      value: normalizeValue(value.trim()),
    },
  ];
}

/**
 * Collects the string settings of kea-dhcp4.conf. An entry with `name` and `data` is an option, under that name. A
 * setting in a reservation belongs to its machine. A setting in a class has the test of the class as its condition.
 */
function collectKeaSettings(value: unknown, machine: string, condition: string): DhcpSetting[] {
  if (Array.isArray(value)) return value.flatMap((element) => collectKeaSettings(element, machine, condition));
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  const getText = (name: string) => entries.find(([key, setting]) => key === name && typeof setting === 'string')?.[1];
  const optionName = getText('name');
  if (typeof optionName === 'string' && getText('data') !== undefined)
    return [{ machine, condition, name: optionName, value: normalizeValue(String(getText('data'))) }];
  // By address, since the name may be the fault.
  const ownMachine = String(getText('ip-address') ?? machine);
  const ownCondition = String(getText('test') ?? condition);
  return entries.flatMap(([name, setting]) =>
    typeof setting === 'string'
      ? [{ machine: ownMachine, condition: ownCondition, name, value: normalizeValue(setting) }]
      : collectKeaSettings(setting, ownMachine, ownCondition),
  );
}

function normalizeValue(value: string): string {
  return value
    .replaceAll('"', '')
    .replaceAll(/\s*,\s*/g, ', ')
    .toLowerCase();
}
