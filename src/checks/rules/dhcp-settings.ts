import type { BootEvidence } from '../boot/checks.ts';
import type { Symptom } from './diagnostic-rule.ts';
import type { Evidence } from './evidence.ts';

/**
 * A string, or text that Kea ignores: comments of all three kinds, and a comma before a closing bracket (Kea ARM, 4.1
 * "JSON syntax").
 */
const STRING_OR_IGNORED = /("(?:[^"\\]|\\.)*")|\/\*[\s\S]*?\*\/|(?:\/\/|#).*$/gm;

/** Parses a configuration file of Kea; null if it is not valid. */
export function parseKeaConfig(text: string): unknown {
  const plain = text.replaceAll(STRING_OR_IGNORED, '$1').replaceAll(/,(\s*[\]}])/g, '$1');
  try {
    return JSON.parse(plain);
  } catch {
    return null;
  }
}

/**
 * A setting of a DHCP server. `of`: the machine, empty for a whole network; `when`: the condition, empty for always.
 */
interface DhcpSetting {
  readonly of: string;
  readonly when: string;
  readonly name: string;
  readonly value: string;
}

interface FileSettings {
  readonly actual: readonly DhcpSetting[];
  readonly planned: readonly DhcpSetting[];
}

const SCRIPT = /\.ipxe$/;

type ConfigFile = Evidence['files'][number];

/**
 * Finds settings of these names that differ from the generated files of the DHCP servers, as certain symptoms.
 * @param needed names of settings that machines cannot do without: only these count when they are missing
 */
export function findWrongSettings(
  { files }: Evidence,
  names: ReadonlySet<string>,
  needed: ReadonlySet<string>,
): Symptom[] {
  return files.flatMap((file) => {
    if (file.kind !== 'isc-dhcpd' && file.kind !== 'kea-dhcp4') return [];
    const { actual, planned } = getSettings(file);
    // A file without readable settings has another fault.
    if (actual.length === 0) return [];
    const listValues = (list: readonly DhcpSetting[], { of, name, when }: DhcpSetting) => {
      const all = list.filter((each) => each.of === of && each.name === name);
      const own = all.filter((each) => each.when === when);
      // A condition that is worded differently may mean the same.
      return (own.length > 0 ? own : all).map(({ value }) => value);
    };
    const isPresent = (each: DhcpSetting) => {
      const values = actual.filter(({ of, name }) => of === each.of && name === each.name).map(({ value }) => value);
      // A firmware type that no machine has may lack its program. Without its script, iPXE loads itself for ever.
      return SCRIPT.test(each.value) ? values.includes(each.value) : values.length > 0;
    };
    const wrong = actual
      .filter((each) => names.has(each.name) && planned.some(({ of }) => of === each.of))
      .filter((each) => listValues(planned, each).length > 0 && !listValues(planned, each).includes(each.value))
      .map((each) =>
        createSymptom(file, each, `${each.name} ${each.value}; planned ${listValues(planned, each).join(', ')}`),
      );
    const missing = planned
      .filter((each) => needed.has(each.name) && !isPresent(each))
      .map((each) => createSymptom(file, each, `no ${each.name}; planned ${each.value}`));
    return [...wrong, ...missing];
  });
}

function createSymptom({ host, path }: ConfigFile, { of, name }: DhcpSetting, detail: string): Symptom {
  const about = of === '' ? '' : `${of}: `;
  const symptom = `${path} on ${host}: ${about}${detail}`;
  return { likelihood: 'certain', subject: of || host, symptom, command: `ssh ${host} grep -n ${name} ${path}` };
}

/** Cache: several rules read the same file, and a large site has thousands of settings. */
const settingsCache = new WeakMap<ConfigFile, FileSettings>();

function getSettings(file: ConfigFile): FileSettings {
  const { kind, text, planned } = file;
  const settings = settingsCache.get(file) ?? {
    actual: parseSettings(kind, text),
    planned: parseSettings(kind, planned),
  };
  settingsCache.set(file, settings);
  return settings;
}

function parseSettings(kind: ConfigFile['kind'], text: string): DhcpSetting[] {
  return kind === 'kea-dhcp4' ? collectKeaSettings(parseKeaConfig(text), '', '') : parseDhcpdSettings(text);
}

/**
 * dhcpd.conf(5): statements end with `;`. A statement in the block of a host applies to that host; one after `if` is
 * conditional.
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
    } else settings.push(...parseStatement(statement, blocks));
    statement = '';
  }
  return settings;
}

function parseStatement(statement: string, blocks: readonly string[]): DhcpSetting[] {
  const found = /^(?:option\s+)?(hardware\s+ethernet|[a-z][\w-]*)\s+([\s\S]+)$/.exec(statement.trim());
  const [, name = '', value = ''] = found ?? [];
  if (name === '') return [];
  const of = blocks.flatMap((block) => /^host (\S+)$/.exec(block)?.[1] ?? []).at(-1) ?? '';
  const when = blocks.filter((block) => /^(?:if|elsif|else|class)\b/.test(block)).at(-1) ?? '';
  return [
    { of, when: when.replace(/^(?:els)?if /, ''), name: name.replace(/\s+/, ' '), value: normalizeValue(value.trim()) },
  ];
}

/**
 * Collects the strings of kea-dhcp4.conf by name, an option by its own name. A setting in a reservation belongs to its
 * machine, one in a class to the test of the class.
 */
function collectKeaSettings(value: unknown, of: string, when: string): DhcpSetting[] {
  if (Array.isArray(value)) return value.flatMap((each) => collectKeaSettings(each, of, when));
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  const text = (name: string) => entries.find(([key, each]) => key === name && typeof each === 'string')?.[1];
  const option = text('name');
  if (typeof option === 'string' && text('data') !== undefined)
    return [{ of, when, name: option, value: normalizeValue(String(text('data'))) }];
  // By address, since the name may be the fault.
  const own = String(text('ip-address') ?? of);
  const test = String(text('test') ?? when);
  return entries.flatMap(([name, each]) =>
    typeof each === 'string'
      ? [{ of: own, when: test, name, value: normalizeValue(each) }]
      : collectKeaSettings(each, own, test),
  );
}

function normalizeValue(value: string): string {
  return value
    .replaceAll('"', '')
    .replaceAll(/\s*,\s*/g, ', ')
    .toLowerCase();
}

/** Evidence for the rules of the boot grid. A machine that has joined is left out: it is silent because it is done. */
export function bootEvidence({ now, design, machines, unknownMacs }: Evidence): BootEvidence {
  const pending = machines.filter(({ hasJoined }) => !hasJoined);
  return { now, boot: design?.services.boot.kind ?? 'iso', machines: pending, unknownMacs };
}
