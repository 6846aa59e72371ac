// The lengths that names may have: every view and answer of a state with them in place of the short ones of the example.
import { SCREEN_IDS, type WizardState } from '../../src/wizard/state.ts';

/** 253 characters, the longest name that DNS has. */
export const LONG_DOMAIN = `${'a-very-long-subdomain-of-a-large-company.'.repeat(6)}local.net`.slice(-253);

/** The example's names of one label that become 63 characters, the most that a label has. */
const LABELS = /(?<![\w./-])(bs|m[1-3]|w[1-3]|i[1-3]|ns1|lb[12])(?![\w-])/g;

/** A name of 63 characters that begins with the short one. */
export const longName = (short: string) => `${short}-${'x0123456789'.repeat(6)}`.slice(0, 63);

const stretch = (text: string): string =>
  text.replaceAll('example.localdomain', LONG_DOMAIN).replaceAll(LABELS, longName);

/** Plain data with long names in each of its texts. */
function stretched<T>(value: T): T {
  if (typeof value === 'string') return stretch(value) as T & string;
  if (Array.isArray(value)) return value.map(stretched) as T & unknown[];
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === 'screen' ? inner : stretched(inner)]),
  ) as T & object;
}

/** As many of these as a large cluster has, the later ones copies of the last with names of their own. */
function many<T extends object>(items: readonly T[], count: number, key: 'name' | 'id' = 'name'): T[] {
  const last = items.at(-1);
  if (last === undefined || items.length >= count) return [...items];
  const more = Array.from({ length: count - items.length }, (_, index) => ({
    ...last,
    [key]: `${String(Reflect.get(last, key)).slice(0, 56)}-n${index}`,
  }));
  return [...items, ...more];
}

/** How many nodes a large cluster has. */
const NODES = 500;

/** Lists of nodes in a value, at any depth, grown to a large cluster. */
function crowded<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value as T;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'nodes' && Array.isArray(inner) && inner.every((one) => typeof one === 'object' && one !== null)
        ? many(inner as object[], NODES)
        : inner,
    ]),
  ) as T & object;
}

/** The state in a cluster with the longest names, and 500 nodes. */
export function withLongNames(state: WizardState): WizardState {
  const long = stretched(state);
  const runs = Object.fromEntries(
    Object.entries(long.runs).map(([id, run]) => [
      id,
      run.probe === null ? run : { ...run, probe: { ...run.probe, view: crowded(run.probe.view) } },
    ]),
  ) as WizardState['runs'];
  return { ...long, document: crowded(long.document), runs };
}

/** Where a screen stands among all, as its title says it. */
export const positionOf = ({ screen }: WizardState) => `${SCREEN_IDS.indexOf(screen) + 1}/${SCREEN_IDS.length}`;
