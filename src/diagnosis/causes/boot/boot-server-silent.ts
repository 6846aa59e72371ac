import { cause, failed } from '../cause.ts';

/** Nobody answers where machines fetch their scripts, images and ignition files. */
export const bootServerSilent = cause(
  'boot-server-silent',
  'boot',
  (evidence) => failed(evidence, 'boot-server'),
  true,
);
