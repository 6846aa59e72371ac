import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/** The proxy itself does not answer, or requires a login, whatever the request. */
const PROXY_ERRORS =
  /proxyconnect tcp: dial tcp.*(?:i\/o timeout|refused|no route|unreachable|no such host)|Proxy Authentication Required|proxyconnect tcp:.*407/;

/** Outgoing connections use a proxy that lets none through. */
export const proxyFails = diagnosticRule('proxy-fails', 'network', (evidence) => {
  const proxy = evidence.design?.proxy?.httpsProxy.replace(/\/\/[^@/]*@/, '//') || 'PROXY';
  return symptomsFromLines(
    matchLogLines(evidence, PROXY_ERRORS).slice(-1),
    'certain',
    `curl -sI -x ${proxy} https://quay.io/v2/`,
  );
});
