import { appsDomain, clusterDomain } from '../../../design/names.ts';
import { type Clue, cause, clueOfLines, told } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

const THROUGH =
  /proxyconnect|via proxy|Proxy Authentication Required|ERR_ACCESS_DENIED|squid|X-Squid|proxy.*(?:Forbidden|Bad Gateway|Service Unavailable|refused)/i;

/** What belongs to the cluster goes through the proxy, which does not know the way back. */
export const proxyWithoutNoProxy = cause('proxy-without-no-proxy', 'network', (evidence) => {
  const { design } = evidence;
  const command = "oc get proxy cluster -o jsonpath='{.status.noProxy}'";
  const inside = told(evidence, THROUGH).filter(({ text }) => isInside(text, evidence));
  const lines = clueOfLines(inside.slice(-1), 'certain', command);
  const planned = design?.proxy ?? null;
  const { isUsed, noProxy } = evidence.cluster?.proxy ?? {
    isUsed: planned !== null && planned.httpProxy + planned.httpsProxy !== '',
    noProxy: planned?.noProxy ?? '',
  };
  if (design === null || !isUsed) return lines;
  const isCovered = noProxy.split(',').some((each) => covers(each.trim(), `x.${appsDomain(design)}`));
  if (isCovered) return lines;
  // The installer adds api-int, the networks and .svc by itself, and not the routes: a proxy that reaches them does no harm.
  const stuck = (evidence.cluster?.operators ?? []).filter(
    ({ wait }) => wait?.code === 'routes-closed' && !wait.isNormal,
  );
  const routes = stuck.map(
    ({ name, message }): Clue => ({ likelihood: 'likely', subject: name, symptom: message, command }),
  );
  return [...lines, ...routes];
});

function isInside(text: string, { design }: Evidence): boolean {
  if (/\bapi-int\.|\.svc\b|\.cluster\.local\b|:(?:6443|22623)\b/.test(text)) return true;
  return (
    design !== null &&
    (text.includes(clusterDomain(design)) ||
      design.nodes.some(({ ip }) => ip.some((address) => text.includes(`${address}:`))))
  );
}

/** An entry of noProxy holds a name: `.domain`, `domain`, `*` (Go's httpproxy). */
function covers(entry: string, name: string): boolean {
  if (entry === '*') return true;
  const domain = entry.replace(/^\*?\./, '');
  return domain !== '' && (name === domain || name.endsWith(`.${domain}`));
}
