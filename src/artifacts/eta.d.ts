/** Templates are bundled as text. */
declare module '*.eta' {
  const text: string;
  export default text;
}
