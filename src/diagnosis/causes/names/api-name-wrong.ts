import { cause, clueOfLines, failed, told } from '../cause.ts';

/** The name of the API is missing, or leads elsewhere. (What this machine's own resolver says is another rule's.) */
export const apiNameWrong = cause('api-name-wrong', 'dns', (evidence) => {
  const records = failed(evidence, 'dns-api');
  if (records.length > 0) return records;
  const lines = told(evidence, /lookup api\.[\w.-]+ .*no such host|Unable to resolve API_URL/i);
  return clueOfLines(
    lines.filter(({ source }) => source !== 'openshift-install'),
    'likely',
  );
});
