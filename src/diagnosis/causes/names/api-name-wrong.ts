import { cause, failed } from '../cause.ts';

/** The name of the API is missing, or leads elsewhere. */
export const apiNameWrong = cause('api-name-wrong', 'dns', (evidence) => failed(evidence, 'dns-api'));
