import { Page } from '../../ui/page.tsx'

const Steps = () => <Page title="Steps">{null}</Page>

export default Steps
