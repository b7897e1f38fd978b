/** A shell of the system, which reads a line as the gate does. */
export const USUAL_SHELL = /^(?:\/usr(?:\/local)?|\/opt\/homebrew|\/run\/current-system\/sw)?\/bin\/(?:bash|zsh|sh)$/;
