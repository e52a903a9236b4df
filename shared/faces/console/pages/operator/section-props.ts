/** Props of every section on the operator's page. */
export type SectionProps = { tenant: string }
