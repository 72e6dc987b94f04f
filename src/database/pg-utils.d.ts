/** How pg writes values for a server, which its own companions use from here too. */
declare module 'pg/lib/utils.js' {
  const utils: {
    /** Throws for what has no text, such as an object that contains itself. */
    readonly prepareValue: (value: unknown) => string | Buffer | null;
  };
  export default utils;
}
