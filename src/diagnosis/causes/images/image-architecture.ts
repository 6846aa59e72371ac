import { cause, clueOfLines, told } from '../cause.ts';

/** The release, or the machine, is of another processor architecture than the other one. */
export const imageArchitecture = cause('image-architecture', 'requirements', (evidence) =>
  clueOfLines(
    told(
      evidence,
      /exec(?: user process caused:)?:? .*exec format error|exec format error|no (?:matching manifest|image found in (?:manifest list|image index)) for (?:architecture|linux)/i,
    ).slice(-1),
    'certain',
    'uname -m; oc adm release info --registry-config pull-secret.txt IMAGE | grep -i arch',
  ),
);
