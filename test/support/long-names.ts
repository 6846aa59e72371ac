// The longest permitted names: they replace the short names of the example in every view and answer of a state.
import { SCREEN_IDS, type WizardState } from '../../src/wizard/state.ts';

/** 253 characters, the maximum length of a DNS name. */
export const LONG_DOMAIN = `${'a-very-long-subdomain-of-a-large-company.'.repeat(6)}local.net`.slice(-253);

/** Names of one label in the example. They become 63 characters long, the maximum of a DNS label. */
const LABELS = /(?<![\w./-])(bs|m[1-3]|w[1-3]|i[1-3]|ns1|lb[12])(?![\w-])/g;

/** Returns a name of 63 characters that begins with the short one. */
export const lengthenName = (short: string) => `${short}-${'x0123456789'.repeat(6)}`.slice(0, 63);

const lengthenText = (text: string): string =>
  text.replaceAll('example.localdomain', LONG_DOMAIN).replaceAll(LABELS, lengthenName);

/** Replaces the names in all texts of plain data. */
function lengthenAll<T>(value: T): T {
  if (typeof value === 'string') return lengthenText(value) as T & string;
  if (Array.isArray(value)) return value.map(lengthenAll) as T & unknown[];
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === 'screen' ? inner : lengthenAll(inner)]),
  ) as T & object;
}

/** Grows a list to the size that it has in a large cluster: with copies of the last item that have their own names. */
function growList<T extends object>(items: readonly T[], count: number, key: 'name' | 'id' = 'name'): T[] {
  const last = items.at(-1);
  if (last === undefined || items.length >= count) return [...items];
  const copies = Array.from({ length: count - items.length }, (_, index) => ({
    ...last,
    [key]: `${String(Reflect.get(last, key)).slice(0, 56)}-n${index}`,
  }));
  return [...items, ...copies];
}

/** Number of nodes in a large cluster. */
const NODE_COUNT = 500;

/** Grows the list `nodes` of a value to the size of a large cluster. */
function growNodes<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value as T;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'nodes' && Array.isArray(inner) && inner.every((one) => typeof one === 'object' && one !== null)
        ? growList(inner as object[], NODE_COUNT)
        : inner,
    ]),
  ) as T & object;
}

/** Returns the state in a cluster with the longest names, and 500 nodes. */
export function withLongNames(state: WizardState): WizardState {
  const long = lengthenAll(state);
  const runs = Object.fromEntries(
    Object.entries(long.runs).map(([id, run]) => [
      id,
      run.probe === null ? run : { ...run, probe: { ...run.probe, view: growNodes(run.probe.view) } },
    ]),
  ) as WizardState['runs'];
  return { ...long, document: growNodes(long.document), runs };
}

/** Position of a screen among all, as in its title. */
export const formatPosition = ({ screen }: WizardState) => `${SCREEN_IDS.indexOf(screen) + 1}/${SCREEN_IDS.length}`;
