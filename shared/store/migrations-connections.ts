/** `profile`: the wire profile that was chosen for one connection; null: the operator's. */
export const profiles = `
alter table connections add column profile text;
alter table authorizations add column profile text;
`

/** `choices`: what the person with a connect link may choose from. */
export const connectChoices = `alter table authorizations add column choices text;`

/** Both as JSON lists. `own_ids`: whom we act as beside the account. Null in rows of before: none known. */
export const identities = `
alter table connections add column own_ids text;
alter table connections add column granted_scopes text;
`

export const defaultContainers = `alter table connections add column default_container text;`

/** The language that a connect link asks for; null: that of the browser. */
export const connectLocales = `alter table authorizations add column locale text;`
