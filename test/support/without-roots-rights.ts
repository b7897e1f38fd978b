/** Put before a command: nobody's right to pass over permissions, as root would. */
export const WITHOUT_ROOTS_RIGHTS: readonly string[] =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"] : [];
