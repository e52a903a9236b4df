import { Page } from '../../ui/page.tsx'

const Run = () => <Page title="Run">{null}</Page>

export default Run
