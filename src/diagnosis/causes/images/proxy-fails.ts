import { cause, clueOfLines, told } from '../cause.ts';

/** The proxy itself does not answer, or wants a login, whatever was asked of it. */
const FAILS =
  /proxyconnect tcp: dial tcp.*(?:i\/o timeout|refused|no route|unreachable|no such host)|Proxy Authentication Required|proxyconnect tcp:.*407/;

/** The way out is a proxy, and it lets nobody through. */
export const proxyFails = cause('proxy-fails', 'network', (evidence) => {
  const proxy = evidence.design?.proxy?.httpsProxy.replace(/\/\/[^@/]*@/, '//') || 'PROXY';
  return clueOfLines(told(evidence, FAILS).slice(-1), 'certain', `curl -sI -x ${proxy} https://quay.io/v2/`);
});
