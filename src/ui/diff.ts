export { type DiffLine, diffLines } from '../text/diff.ts';
