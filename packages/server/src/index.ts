export { BadSetting, type Config, describeSettings, readConfig } from './config.ts';
export { type Service, type Surroundings, startService } from './main.ts';
export { VERSION } from './version.ts';
