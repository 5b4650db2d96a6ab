BEGIN TRANSACTION;
CREATE TABLE annotation_items (
	queue VARCHAR(12) NOT NULL, 
	number INTEGER NOT NULL, 
	instance_key TEXT NOT NULL, 
	language VARCHAR(16) NOT NULL, 
	experiment_id VARCHAR(12) NOT NULL, 
	run_number INTEGER NOT NULL, 
	dataset VARCHAR(64) NOT NULL, 
	question_name TEXT NOT NULL, 
	fingerprint VARCHAR(16) NOT NULL, 
	question TEXT NOT NULL, 
	answer TEXT NOT NULL, 
	PRIMARY KEY (queue, number), 
	UNIQUE (queue, instance_key), 
	FOREIGN KEY(queue) REFERENCES annotation_queues (id)
);
INSERT INTO "annotation_items" VALUES('bcb6ecba002f',1,'69c002458c37/0/q0/ar','ar','69c002458c37',0,'lights','q0','f0','متى أُضيئت منارة الميناء القديمة؟ (0)','أُضيئتْ سنة ١٨٧٤، ثم احترق بيتُ الحارس.');
INSERT INTO "annotation_items" VALUES('bcb6ecba002f',2,'69c002458c37/0/q1/en','en','69c002458c37',0,'lights','q1','f0','When was the old harbour light lit? (1)','It was lit in 1874; the keeper’s house burned in 1902.');
INSERT INTO "annotation_items" VALUES('bcb6ecba002f',3,'69c002458c37/0/q1/ar','ar','69c002458c37',0,'lights','q1','f0','متى أُضيئت منارة الميناء القديمة؟ (1)','أُضيئتْ سنة ١٨٧٤، ثم احترق بيتُ الحارس.');
INSERT INTO "annotation_items" VALUES('bcb6ecba002f',4,'69c002458c37/0/q0/en','en','69c002458c37',0,'lights','q0','f0','When was the old harbour light lit? (0)','It was lit in 1874; the keeper’s house burned in 1902.');
CREATE TABLE annotation_labels (
	id INTEGER NOT NULL, 
	queue VARCHAR(12) NOT NULL, 
	number INTEGER NOT NULL, 
	annotator VARCHAR(80) NOT NULL, 
	showing INTEGER NOT NULL, 
	part VARCHAR(200) NOT NULL, 
	labels TEXT NOT NULL, 
	comment TEXT NOT NULL, 
	spans TEXT NOT NULL, 
	taxonomy VARCHAR(64) NOT NULL, 
	version INTEGER NOT NULL, 
	saved FLOAT NOT NULL, 
	undone FLOAT, 
	PRIMARY KEY (id)
);
INSERT INTO "annotation_labels" VALUES(1,'bcb6ecba002f',2,'Anna',1,'answer','["good"]','comment 1 🙂 ﷺ','[]','team-errors',1,1.79535673621603488921e+09,NULL);
INSERT INTO "annotation_labels" VALUES(2,'bcb6ecba002f',3,'Anna',1,'answer','["bad"]','comment 2 🙂 ﷺ','[]','team-errors',1,1.79535673623157596588e+09,NULL);
INSERT INTO "annotation_labels" VALUES(3,'bcb6ecba002f',1,'Anna',1,'answer','["good"]','comment 3 🙂 ﷺ','[]','team-errors',1,1.79535673624082207683e+09,NULL);
INSERT INTO "annotation_labels" VALUES(4,'bcb6ecba002f',1,'Anna',1,'answer','["odd"]','','[]','team-errors',1,1.79535673624262809757e+09,1.79535673624879026414e+09);
INSERT INTO "annotation_labels" VALUES(5,'bcb6ecba002f',4,'Anna',1,'answer','["good"]','comment 4 🙂 ﷺ','[]','team-errors',1,1.79535673625439691544e+09,NULL);
INSERT INTO "annotation_labels" VALUES(6,'bcb6ecba002f',3,'Älva',1,'answer','["bad", "odd"]','comment 5 🙂 ﷺ','[]','team-errors',1,1.79535673626389288902e+09,NULL);
INSERT INTO "annotation_labels" VALUES(7,'bcb6ecba002f',1,'Älva',1,'answer','["bad", "odd"]','comment 6 🙂 ﷺ','[]','team-errors',1,1795356736.27253,NULL);
INSERT INTO "annotation_labels" VALUES(8,'bcb6ecba002f',2,'Älva',1,'answer','["bad", "odd"]','comment 7 🙂 ﷺ','[]','team-errors',1,1.79535673627709388734e+09,NULL);
CREATE TABLE annotation_part_texts (
	queue VARCHAR(12) NOT NULL, 
	number INTEGER NOT NULL, 
	part VARCHAR(200) NOT NULL, 
	text TEXT NOT NULL, 
	PRIMARY KEY (queue, number, part)
);
CREATE TABLE annotation_places (
	id INTEGER NOT NULL, 
	queue VARCHAR(12) NOT NULL, 
	number INTEGER NOT NULL, 
	annotator VARCHAR(80) NOT NULL, 
	showing INTEGER NOT NULL, 
	expires FLOAT, 
	complete BOOLEAN NOT NULL, 
	completed FLOAT, 
	skipped FLOAT, 
	PRIMARY KEY (id), 
	UNIQUE (queue, number, annotator, showing)
);
INSERT INTO "annotation_places" VALUES(1,'bcb6ecba002f',2,'Anna',1,NULL,1,1.79535673622686791422e+09,NULL);
INSERT INTO "annotation_places" VALUES(2,'bcb6ecba002f',3,'Anna',1,NULL,1,1.79535673623788690563e+09,NULL);
INSERT INTO "annotation_places" VALUES(3,'bcb6ecba002f',1,'Anna',1,NULL,1,1.79535673625132489203e+09,NULL);
INSERT INTO "annotation_places" VALUES(4,'bcb6ecba002f',4,'Anna',1,NULL,1,1.79535673626040101049e+09,NULL);
INSERT INTO "annotation_places" VALUES(5,'bcb6ecba002f',3,'Älva',1,NULL,1,1.795356736265625e+09,NULL);
INSERT INTO "annotation_places" VALUES(6,'bcb6ecba002f',1,'Älva',1,NULL,1,1.79535673627435708047e+09,NULL);
INSERT INTO "annotation_places" VALUES(7,'bcb6ecba002f',2,'Älva',1,NULL,1,1.79535673627878403658e+09,NULL);
INSERT INTO "annotation_places" VALUES(8,'bcb6ecba002f',4,'Älva',1,1.79535673628654050826e+09,0,NULL,1.79535673628654050826e+09);
CREATE TABLE annotation_queues (
	id VARCHAR(12) NOT NULL, 
	name VARCHAR(80) NOT NULL, 
	taxonomy VARCHAR(64) NOT NULL, 
	version INTEGER NOT NULL, 
	runs TEXT NOT NULL, 
	per_language INTEGER NOT NULL, 
	seed INTEGER NOT NULL, 
	annotators_per_item INTEGER NOT NULL, 
	twice_share FLOAT NOT NULL, 
	created FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO "annotation_queues" VALUES('bcb6ecba002f','Lights','team-errors',1,'["69c002458c37/0"]',2,0,2,0.0,1.79535673619832158087e+09);
CREATE TABLE annotation_taxonomies (
	name VARCHAR(64) NOT NULL, 
	version INTEGER NOT NULL, 
	definition TEXT NOT NULL, 
	PRIMARY KEY (name, version)
);
INSERT INTO "annotation_taxonomies" VALUES('team-errors',1,'{"labels":[{"definition":"Nothing is wrong with it.","example":"The year is right.","key":"good","name":"Good"},{"definition":"Something is wrong with it.","example":"The year is another.","key":"bad","name":"Bad"},{"definition":"It reads strangely.","example":"The words are in another order.","key":"odd","name":"Odd"}],"name":"team-errors","question":"What is it like?","several":true,"source":"a test","title":"Errors","version":1}');
CREATE TABLE answer_totals (
	run INTEGER NOT NULL, 
	language VARCHAR(16) NOT NULL, 
	answered INTEGER NOT NULL, 
	failed INTEGER NOT NULL, 
	seconds FLOAT NOT NULL, 
	prompt_tokens INTEGER NOT NULL, 
	completion_tokens INTEGER NOT NULL, 
	PRIMARY KEY (run, language), 
	FOREIGN KEY(run) REFERENCES runs (id)
);
INSERT INTO "answer_totals" VALUES(1,'ar',2,0,0.0,0,0);
INSERT INTO "answer_totals" VALUES(1,'en',2,0,0.0,0,0);
CREATE TABLE answers (
	id INTEGER NOT NULL, 
	run INTEGER NOT NULL, 
	question INTEGER NOT NULL, 
	language VARCHAR(16) NOT NULL, 
	failed BOOLEAN NOT NULL, 
	error TEXT NOT NULL, 
	text TEXT NOT NULL, 
	answer_language VARCHAR(16) NOT NULL, 
	passages TEXT NOT NULL, 
	seconds FLOAT NOT NULL, 
	prompt_tokens INTEGER, 
	completion_tokens INTEGER, 
	PRIMARY KEY (id), 
	UNIQUE (run, question), 
	FOREIGN KEY(run) REFERENCES runs (id), 
	FOREIGN KEY(question) REFERENCES questions (id)
);
INSERT INTO "answers" VALUES(1,1,1,'en',0,'','It was lit in 1874; the keeper’s house burned in 1902.','en','[["doc.1","en",0.5]]',0.0,NULL,NULL);
INSERT INTO "answers" VALUES(2,1,2,'ar',0,'','أُضيئتْ سنة ١٨٧٤، ثم احترق بيتُ الحارس.','ar','[["doc.1","en",0.5]]',0.0,NULL,NULL);
INSERT INTO "answers" VALUES(3,1,3,'en',0,'','It was lit in 1874; the keeper’s house burned in 1902.','en','[["doc.1","en",0.5]]',0.0,NULL,NULL);
INSERT INTO "answers" VALUES(4,1,4,'ar',0,'','أُضيئتْ سنة ١٨٧٤، ثم احترق بيتُ الحارس.','ar','[["doc.1","en",0.5]]',0.0,NULL,NULL);
CREATE TABLE batches (
	experiment VARCHAR(12) NOT NULL, 
	phase VARCHAR(40) NOT NULL, 
	batch INTEGER NOT NULL, 
	PRIMARY KEY (experiment, phase, batch), 
	FOREIGN KEY(experiment) REFERENCES experiments (id)
);
INSERT INTO "batches" VALUES('69c002458c37','generate',0);
CREATE TABLE experiments (
	id VARCHAR(12) NOT NULL, 
	name TEXT NOT NULL, 
	kind VARCHAR(12) NOT NULL, 
	spec TEXT NOT NULL, 
	created FLOAT NOT NULL, 
	cells INTEGER NOT NULL, 
	material VARCHAR(16) NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "experiments" VALUES('69c002458c37','Lights','matrix','',1.79535673615347528457e+09,26,'none');
CREATE TABLE flows (
	run INTEGER NOT NULL, 
	language VARCHAR(16) NOT NULL, 
	document_language VARCHAR(16) NOT NULL, 
	answer_language VARCHAR(16) NOT NULL, 
	documents INTEGER NOT NULL, 
	PRIMARY KEY (run, language, document_language, answer_language), 
	FOREIGN KEY(run) REFERENCES runs (id)
);
INSERT INTO "flows" VALUES(1,'ar','en','ar',2);
INSERT INTO "flows" VALUES(1,'en','en','en',2);
CREATE TABLE jobs (
	id VARCHAR(12) NOT NULL, 
	experiment VARCHAR(12) NOT NULL, 
	state VARCHAR(12) NOT NULL, 
	stop BOOLEAN NOT NULL, 
	pid INTEGER, 
	started FLOAT NOT NULL, 
	heartbeat FLOAT NOT NULL, 
	stage VARCHAR(40) NOT NULL, 
	done INTEGER NOT NULL, 
	total INTEGER NOT NULL, 
	steps TEXT NOT NULL, 
	error TEXT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(experiment) REFERENCES experiments (id)
);
CREATE TABLE metrics (
	id INTEGER NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
CREATE TABLE migrations (
	number INTEGER NOT NULL, 
	PRIMARY KEY (number)
);
INSERT INTO "migrations" VALUES(1);
INSERT INTO "migrations" VALUES(2);
INSERT INTO "migrations" VALUES(3);
INSERT INTO "migrations" VALUES(4);
INSERT INTO "migrations" VALUES(5);
CREATE TABLE questions (
	id INTEGER NOT NULL, 
	dataset VARCHAR(64) NOT NULL, 
	language VARCHAR(16) NOT NULL, 
	name TEXT NOT NULL, 
	fingerprint VARCHAR(16) NOT NULL, 
	text TEXT NOT NULL, 
	answers TEXT NOT NULL, 
	gold TEXT NOT NULL, 
	found_in VARCHAR(16) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (dataset, language, name, fingerprint)
);
INSERT INTO "questions" VALUES(1,'lights','en','q0','c13f64717cb1373c','When was the old harbour light lit? (0)','[]','[]','');
INSERT INTO "questions" VALUES(2,'lights','ar','q0','43682673871113cd','متى أُضيئت منارة الميناء القديمة؟ (0)','[]','[]','');
INSERT INTO "questions" VALUES(3,'lights','en','q1','fb5d8589df97599e','When was the old harbour light lit? (1)','[]','[]','');
INSERT INTO "questions" VALUES(4,'lights','ar','q1','8684ff4f6d9bff6a','متى أُضيئت منارة الميناء القديمة؟ (1)','[]','[]','');
CREATE TABLE runs (
	id INTEGER NOT NULL, 
	experiment VARCHAR(12) NOT NULL, 
	number INTEGER NOT NULL, 
	title TEXT NOT NULL, 
	dataset VARCHAR(64) NOT NULL, 
	corpus VARCHAR(64) NOT NULL, 
	mode VARCHAR(16) NOT NULL, 
	scope VARCHAR(8) NOT NULL, 
	prompt VARCHAR(40) NOT NULL, 
	model TEXT NOT NULL, 
	k INTEGER NOT NULL, 
	perturbation VARCHAR(16) NOT NULL, 
	recipe TEXT NOT NULL, 
	fingerprint VARCHAR(16) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (experiment, number), 
	FOREIGN KEY(experiment) REFERENCES experiments (id)
);
INSERT INTO "runs" VALUES(1,'69c002458c37',0,'run 0','lights','lights','multirag','all','p','extractive',5,'none','{}','f0');
CREATE TABLE score_totals (
	metric INTEGER NOT NULL, 
	run INTEGER NOT NULL, 
	language VARCHAR(16) NOT NULL, 
	cells INTEGER NOT NULL, 
	n INTEGER NOT NULL, 
	total FLOAT NOT NULL, 
	squares FLOAT NOT NULL, 
	PRIMARY KEY (metric, run, language), 
	FOREIGN KEY(metric) REFERENCES metrics (id), 
	FOREIGN KEY(run) REFERENCES runs (id)
)
 WITHOUT ROWID

;
CREATE TABLE scores (
	metric INTEGER NOT NULL, 
	run INTEGER NOT NULL, 
	language VARCHAR(16) NOT NULL, 
	question INTEGER NOT NULL, 
	value FLOAT, 
	reason TEXT, 
	PRIMARY KEY (metric, run, language, question), 
	FOREIGN KEY(metric) REFERENCES metrics (id), 
	FOREIGN KEY(run) REFERENCES runs (id), 
	FOREIGN KEY(question) REFERENCES questions (id)
)
 WITHOUT ROWID

;
CREATE TABLE steps (
	"key" VARCHAR(32) NOT NULL, 
	stage VARCHAR(40) NOT NULL, 
	output BLOB NOT NULL, 
	made FLOAT NOT NULL, 
	PRIMARY KEY ("key")
);
CREATE INDEX ix_steps_stage ON steps (stage);
CREATE INDEX ix_jobs_experiment ON jobs (experiment);
CREATE INDEX answers_by_run ON answers (run, language, failed, answer_language, seconds);
CREATE INDEX places_by_person ON annotation_places (queue, annotator, id);
CREATE INDEX labels_by_place ON annotation_labels (queue, annotator, number, showing, part, id);
COMMIT;
