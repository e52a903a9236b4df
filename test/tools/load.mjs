/** Loads what is installed here, for suites elsewhere: a package is found from where the import is written. */
export const load = (name) => import(name)
