import { cause, clueOfLines, failed, told } from '../cause.ts';

/** Nodes look up api-int before they fetch anything; where our servers know it, the nodes ask another one. */
export const apiIntMissing = cause('api-int-missing', 'dns', (evidence) => {
  const records = failed(evidence, 'dns-api-int');
  if (records.length > 0) return records;
  return clueOfLines(told(evidence, /lookup api-int\S* .*no such host|Unable to resolve API_INT_URL/i), 'likely');
});
