import { appsDomain, clusterDomain } from '../../../design/names.ts';
import { diagnosticRule, matchLogLines, type Symptom, symptomsFromLines } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';

const VIA_PROXY =
  /proxyconnect|via proxy|Proxy Authentication Required|ERR_ACCESS_DENIED|squid|X-Squid|proxy.*(?:Forbidden|Bad Gateway|Service Unavailable|refused)/i;

/** Requests inside the cluster go through the proxy, which cannot reach the cluster. */
export const noProxyIncomplete = diagnosticRule('proxy-without-no-proxy', 'network', (evidence) => {
  const { design } = evidence;
  const command = "oc get proxy cluster -o jsonpath='{.status.noProxy}'";
  const inside = matchLogLines(evidence, VIA_PROXY).filter(({ text }) => isClusterTraffic(text, evidence));
  const lines = symptomsFromLines(inside.slice(-1), 'certain', command);
  const planned = design?.proxy ?? null;
  const { isUsed, noProxy } = evidence.cluster?.proxy ?? {
    isUsed: planned !== null && planned.httpProxy + planned.httpsProxy !== '',
    noProxy: planned?.noProxy ?? '',
  };
  if (design === null || !isUsed) return lines;
  const isCovered = noProxy.split(',').some((each) => covers(each.trim(), `x.${appsDomain(design)}`));
  if (isCovered) return lines;
  // The installer adds api-int, the networks and .svc on its own, but not the routes: a proxy that reaches them does no
  // harm.
  const stuck = (evidence.cluster?.operators ?? []).filter(
    ({ wait }) => wait?.code === 'routes-closed' && !wait.isNormal,
  );
  const routes = stuck.map(
    ({ name, message }): Symptom => ({ likelihood: 'likely', subject: name, symptom: message, command }),
  );
  return [...lines, ...routes];
});

function isClusterTraffic(text: string, { design }: Evidence): boolean {
  if (/\bapi-int\.|\.svc\b|\.cluster\.local\b|:(?:6443|22623)\b/.test(text)) return true;
  return (
    design !== null &&
    (text.includes(clusterDomain(design)) ||
      design.nodes.some(({ ip }) => ip.some((address) => text.includes(`${address}:`))))
  );
}

/** Whether an entry of noProxy covers a name: `.domain`, `domain`, `*` (Go's httpproxy). */
function covers(entry: string, name: string): boolean {
  if (entry === '*') return true;
  const domain = entry.replace(/^\*?\./, '');
  return domain !== '' && (name === domain || name.endsWith(`.${domain}`));
}
