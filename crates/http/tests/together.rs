//! Several collections that one request asks: an alias of several, names in the path, the parameter
//! `collection`. They answer as one collection that has the documents of all.

mod served;

#[path = "together/queries.rs"]
mod queries;

use served::{Served, body, refused};

/// An alias, a list in the path and the parameter `collection` ask several at once, each by its own schema.
#[tokio::test]
async fn collections_are_searched_together() {
    let served = Served::start_whole(|_| {}).await;
    let admin = async |query: &str| body(&served, &format!("/solr/admin/collections?{query}")).await;
    admin("action=CREATE&name=books&numShards=2").await;
    admin("action=CREATEALIAS&name=all&collections=films,books").await;
    let post = async |path: &str, text: &str| {
        let answer = served.post(path, "application/json", text).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    };
    post("/solr/books/schema", r#"{"add-field":{"name":"year","type":"pint"}}"#).await;
    post("/solr/films/schema", r#"{"add-field":{"name":"year","type":"string"}}"#).await;
    let films = r#"[{"id":"f1","title_t":"red fox","cat_s":"a","n_i":3},{"id":"f2","cat_s":"b","n_i":1}]"#;
    post("/solr/films/update?commit=true", films).await;
    let books = r#"[{"id":"b1","title_t":"red","cat_s":"a","n_i":2},{"id":"b2","title_t":"owl","cat_s":"c","n_i":4}]"#;
    post("/solr/books/update?commit=true", books).await;
    // As in Solr an update goes to the first collection of an alias.
    post("/solr/all/update?commit=true", r#"[{"id":"f3","title_t":"owl","cat_s":"a","n_i":5}]"#).await;
    assert!(body(&served, "/solr/films/select?q=id:f3&rows=0").await.contains("\"numFound\":1"));

    let check = async |path: &str, expected: &str| {
        let found = body(&served, &format!("{path}&indent=off&omitHeader=true&wt=json")).await;
        assert_eq!(found, expected, "{path}");
    };
    let sorted = r#"{"response":{"numFound":5,"start":0,"numFoundExact":true,"docs":[{"id":"f2"},{"id":"b1"},{"id":"f1"},{"id":"b2"},{"id":"f3"}]}}"#;
    check("/solr/all/select?q=*:*&fl=id&sort=n_i+asc", sorted).await;
    check("/solr/films,books/select?q=*:*&fl=id&sort=n_i+asc", sorted).await;
    check("/solr/books/select?q=*:*&fl=id&sort=n_i+asc&collection=films,books", sorted).await;
    let one =
        r#"{"response":{"numFound":2,"start":0,"numFoundExact":true,"docs":[{"id":"b1"},{"id":"b2"}]}}"#;
    check("/solr/films/select?q=*:*&fl=id&sort=n_i+asc&collection=books", one).await;
    let counted = r#"{"response":{"numFound":5,"start":0,"numFoundExact":true,"docs":[]},"facet_counts":{"facet_queries":{},"facet_fields":{"cat_s":["a",3,"b",1,"c",1]},"facet_ranges":{},"facet_intervals":{},"facet_heatmaps":{}}}"#;
    check("/solr/all/select?q=*:*&rows=0&facet=true&facet.field=cat_s", counted).await;
    let heads = r#"{"response":{"numFound":3,"start":0,"numFoundExact":true,"docs":[{"id":"b1"},{"id":"b2"},{"id":"f2"}]}}"#;
    check("/solr/all/select?q=*:*&fq={!collapse+field=cat_s+min=n_i}&fl=id&sort=id+asc", heads).await;

    let named =
        body(&served, "/solr/all/select?q=*:*&fl=id,[shard],[core]&sort=id+asc&rows=3&indent=off").await;
    let docs = r#""docs":[{"id":"b1","[shard]":"shard1","[core]":"books_shard1_replica_n1"},{"id":"b2","[shard]":"shard2","[core]":"books_shard2_replica_n2"},{"id":"f1","[shard]":"shard1","[core]":"films"}]"#;
    assert!(named.contains(docs), "{named}");
    let told =
        body(&served, "/solr/books/select?q=title_t:red&fl=id,score&shards.info=true&indent=off").await;
    let info = r#""http://node:8983/solr/books_shard2_replica_n2/":{"numFound":0,"numFoundExact":true,"maxScore":0.0,"shardAddress":"http://node:8983/solr/books_shard2_replica_n2","time":0}},"response":{"#;
    assert!(told.contains(info), "{told}");

    refused(&served, "/solr/all/select?q=*:*&sort=year+asc", "`year` is of type `string` in one").await;
    refused(&served, "/solr/all/select?q=*:*&shards=shard1", "`shards` names shards of one collection").await;
    refused(&served, "/solr/all/terms?terms.fl=year", "`year` is of points or booleans in one of the").await;
    refused(&served, "/solr/all/select?q=*:*&collection=no", "Could not find collection : no").await;
}

/// Three shards of two collections, `both`, and one shard, `one`, with the documents of both.
struct Halves(Served);

const NAMES: [&str; 6] =
    ["Amber lantern", "Amber candle", "Copper lantern", "Green amber", "Lantern hill", "Candle wax"];

impl Halves {
    async fn start() -> Self {
        let served = Served::start_with_configset("suggestions", |_| {}).await;
        for (name, shards) in [("one", 1), ("left", 1), ("right", 2)] {
            let create = format!("action=CREATE&name={name}&numShards={shards}");
            body(&served, &format!("/solr/admin/collections?{create}")).await;
        }
        body(&served, "/solr/admin/collections?action=CREATEALIAS&name=both&collections=left,right").await;
        let halves = Self(served);
        halves.add("one", 0..30).await;
        halves.add("left", 0..11).await;
        halves.add("right", 11..30).await;
        halves
    }

    async fn add(&self, name: &str, numbers: impl Iterator<Item = usize>) {
        let document = |number: usize| {
            let name = NAMES[number % NAMES.len()];
            let place = ["harbour", "harvest"][number / 2 % 2];
            let words = format!("{name} burns brightly {place}").to_lowercase();
            let sold = 90 - number;
            format!(r#"{{"id":"{number:02}","name":"{name} {number}","words":"{words}","sold":{sold}}}"#)
        };
        let documents: Vec<_> = numbers.map(document).collect();
        self.post(&format!("/solr/{name}/update?commit=true"), &format!("[{}]", documents.join(","))).await;
    }

    async fn post(&self, path: &str, text: &str) {
        let answer = self.0.post(path, "application/json", text).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }

    async fn ask(&self, name: &str, path: &str) -> String {
        body(&self.0, &format!("/solr/{name}{path}&indent=off&omitHeader=true")).await
    }

    /// That both answer as one does, which shows `sign`.
    async fn alike(&self, path: &str, sign: &str) {
        // Solr shows the greatest score of several shards wherever hits are ordered by it.
        let plain = |answer: String| answer.replace(r#""maxScore":0.0,"#, "").replace(r#""maxScore":"#, "");
        let (one, both) = (plain(self.ask("one", path).await), plain(self.ask("both", path).await));
        assert!(one.contains(sign), "{one}");
        assert_eq!(both, one, "{path}");
    }
}

/// Likes, terms, spelling and suggestions of two collections are those of one that has the documents of both.
#[tokio::test]
async fn components_ask_collections_together() {
    let halves = Halves::start().await;
    let spelled = "spellcheck=true&spellcheck.extendedResults=true&spellcheck.collate=true&spellcheck.collateExtendedResults=true";
    halves.alike(&format!("/select?q=words:harbuor+words:brightli&{spelled}&rows=0"), "harbour").await;
    let bounded = "spellcheck.maxCollationTries=5&spellcheck.maxResultsForSuggest=0.5&fq=words:candle";
    halves.alike(&format!("/select?q=words:harvets&{spelled}&{bounded}&rows=0"), "harvest").await;
    halves.alike("/terms?terms.fl=words&terms.limit=7&terms.sort=count", "lantern").await;
    halves.alike("/terms?terms.fl=words&terms.prefix=har&terms.stats=true", "numDocs").await;
    halves.alike("/terms?terms.fl=sold&terms.limit=4", "61").await;
    let build = "suggest=true&suggest.dictionary=infix&suggest.build=true&suggest.q=lan";
    halves.alike(&format!("/suggest?{build}"), "Copper").await;
    halves
        .alike("/suggest?suggest=true&suggest.dictionary=infix&suggest.q=amb&suggest.count=4", "candle")
        .await;
    let likes = "mlt=true&mlt.fl=name&mlt.mintf=1&mlt.mindf=1&mlt.count=2&mlt.interestingTerms=details";
    halves.alike(&format!("/select?q=id:(03+17)&sort=id+asc&fl=id&{likes}"), "interestingTerms").await;
}

/// `/get` finds documents in any of the collections, each by its own schema.
#[tokio::test]
async fn documents_are_got_from_collections_together() {
    let halves = Halves::start().await;
    halves.alike("/get?id=17&fl=id,name", "Candle wax 17").await;
    halves.alike("/get?id=03&fl=id,name", "Green amber 3").await;
    halves.alike("/get?ids=25,03,99,17,03,25&fl=id,name,sold", r#""sold":65"#).await;
    halves.alike("/get?ids=25,03,17,03&fl=id&fq=sold:[70+TO+*]&fq=words:amber", "03").await;
    halves.alike("/get?id=99", r#""doc":null"#).await;
    let own = halves.ask("right", "/get?id=17&fl=id&collection=left,right").await;
    assert_eq!(own, r#"{"doc":{"id":"17"}}"#);
    let shards = halves.ask("both", "/get?ids=17,03&fl=id,[shard]").await;
    let searched = halves.ask("both", "/select?q=id:(03+17)&sort=id+desc&fl=id,[shard]").await;
    let docs = |answer: &str| answer.split_once(r#""docs":"#).unwrap().1.to_owned();
    assert_eq!(docs(&shards), docs(&searched));
    assert!(shards.contains("shard1") && shards.contains(r#""id":"17","[shard]""#), "{shards}");

    // Not committed, and of one kind here and of another there.
    let field = |many: bool| {
        format!(r#"{{"add-field":{{"name":"places","type":"string","multiValued":{many},"stored":true}}}}"#)
    };
    halves.post("/solr/left/schema", &field(false)).await;
    halves.post("/solr/right/schema", &field(true)).await;
    halves.post("/solr/left/update", r#"[{"id":"a","places":"x"},{"id":"b","places":"left"}]"#).await;
    halves.post("/solr/right/update", r#"[{"id":"c","places":"y"},{"id":"b","places":"right"}]"#).await;
    let found = halves.ask("both", "/get?ids=c,b,a,b&fl=id,places").await;
    let docs = r#""docs":[{"id":"c","places":["y"]},{"id":"b","places":"left"},{"id":"a","places":"x"},{"id":"b","places":"left"}]"#;
    assert!(found.contains(docs), "{found}");
    // What passes in one collection is there, whatever another says of its own.
    let passed = halves.ask("both", "/get?ids=b,c&fq=places:(right+y)&fl=id,places").await;
    assert!(
        passed.contains(r#""docs":[{"id":"b","places":["right"]},{"id":"c","places":["y"]}]"#),
        "{passed}"
    );
    // The newest of both, and no more of them than asked for.
    let versions = async |name: &str, count: usize| {
        let found = halves.ask(name, &format!("/get?getVersions={count}")).await;
        let list = found.trim_start_matches(r#"{"versions":["#).trim_end_matches("]}");
        list.split(',').map(|version| version.parse::<u64>().unwrap()).collect::<Vec<_>>()
    };
    let mut own = [versions("left", 100).await, versions("right", 100).await].concat();
    own.sort_by_key(|version| std::cmp::Reverse(*version));
    assert!(own.len() >= 30);
    assert_eq!((versions("both", 100).await, versions("both", 7).await), (own.clone(), own[..7].to_vec()));
}

/// Columns of searches ask all collections, or those that they name.
#[tokio::test]
async fn subqueries_ask_collections_together() {
    let halves = Halves::start().await;
    let hits = "/select?q=id:(03+17)&sort=id+asc&fl=id,near:[subquery]";
    let near = "near.q={!edismax+qf=words+v=$row.name}&near.fl=id&near.sort=sold+asc&near.rows=3";
    halves.alike(&format!("{hits},name&{near}"), r#""near":{"numFound":"#).await;
    let scored = "near.q=words:(candle+harbour)&near.fl=id,score&near.sort=score+desc,id+asc";
    halves
        .alike(
            &format!("{hits}&{scored}&near.fq={{!bool+must_not=$same}}&near.same={{!term+f=id+v=$row.id}}"),
            "score",
        )
        .await;
    let within = "near.q=words:hill&near.fl=id,sold,far:[subquery]&near.sort=id+asc&near.far.q={!term+f=sold+v=$row.sold}&near.far.fl=name";
    halves.alike(&format!("{hits}&{within}"), r#""far":{"numFound":1"#).await;

    // Ids of 11 to 29, in two shards.
    let count = async |rest: &str| {
        let path = format!("/select?q=id:03&fl=near:[subquery{rest}&near.q=*:*&near.rows=0");
        let found = halves.ask("both", &path).await;
        let counted = found.split_once(r#""near":{"numFound":"#).unwrap().1;
        counted.split_once(',').unwrap().0.parse::<u32>().unwrap()
    };
    assert_eq!((count("]").await, count("+fromIndex=left]").await), (30, 11));
    assert_eq!(
        (count("]&near.collection=right").await, count("]&near.collection=right,one").await),
        (19, 49)
    );
    let of_shard = async |name: &str| count(&format!("]&near.collection=right&near.shards={name}")).await;
    let (first, second) = (of_shard("shard1").await, of_shard("shard2").await);
    assert!(first > 0 && second > 0 && first + second == 19, "{first} {second}");
    assert_eq!(count("]&near.collection=right&near.distrib=false").await, first);
    let refuse = async |rest: &str, why: &str| {
        let path = format!("/solr/both/select?q=id:03&fl=near:[subquery]&near.q=*:*&{rest}");
        refused(&halves.0, &path, &format!("while invoking near:[subquery] on doc 03: {why}")).await;
    };
    refuse("near.collection=no", "Could not find collection : no").await;
    refuse("near.shards=shard1", "`shards` names shards of one collection").await;
}

/// `/mlt` finds its document in any of the collections, and what is like it in all.
#[tokio::test]
async fn likes_are_of_collections_together() {
    let halves = Halves::start().await;
    let handler = r#"{"add-requesthandler":{"name":"/mlt","class":"solr.MoreLikeThisHandler","defaults":{"mlt.fl":"name,words","mlt.mintf":1,"mlt.mindf":1}}}"#;
    halves.post("/solr/one/config", handler).await;
    halves.post("/solr/left/config", handler).await;
    for id in ["03", "17"] {
        // Hits that tie come by shard first.
        let asked = format!("/mlt?q=id:{id}&fl=id,score&rows=30&mlt.interestingTerms=details");
        let hits = async |name: &str| {
            let answer = halves.ask(name, &asked).await;
            let (found, terms) = answer.split_once(r#","interestingTerms""#).unwrap();
            let mut hits: Vec<_> = found.split(r#"{"id":"#).skip(1).map(|hit| hit[..20].to_owned()).collect();
            hits.sort();
            (hits, terms.to_owned())
        };
        let (one, both) = (hits("one").await, hits("both").await);
        assert!(one.0.len() > 5 && one.1.contains("name:"), "{one:?}");
        assert_eq!(both, one);
        let facets = "facet=true&facet.field=id&facet.limit=4&fq=sold:[65+TO+85]";
        halves.alike(&format!("/mlt?q=id:{id}&fl=id&rows=0&{facets}"), "facet_fields").await;
    }
    halves.alike("/mlt?q=words:hill&mlt.match.offset=2&fl=name&rows=0", r#""start":2"#).await;
    halves.alike("/mlt?q=id:99&fl=id", r#""numFound":0"#).await;
}

/// Documents beside the hits are explained in all collections, by what all of them count.
#[tokio::test]
async fn documents_beside_the_hits_are_explained_together() {
    let halves = Halves::start().await;
    body(&halves.0, "/solr/admin/collections?action=CREATE&name=many&numShards=3").await;
    halves.add("many", 0..30).await;
    let asked = "q=words:harbour&rows=1&fl=id&debug=results&debug.explain.structured=true";
    let explained = async |name: &str, other: &str| {
        let found = halves.ask(name, &format!("/select?{asked}&explainOther=id:{other}")).await;
        let explained = found.split_once(r#""explainOther":{"#).unwrap().1;
        // Numbers of documents are each shard's own.
        let mut parts = explained.split(" in ");
        let first = parts.next().unwrap().to_owned();
        parts.fold(first, |all, part| all + part.trim_start_matches(|c: char| c.is_ascii_digit()))
    };
    for id in ["03", "04", "17", "19", "25"] {
        let one = explained("one", id).await;
        assert!(one.starts_with(&format!(r#""{id}":{{"match":"#)), "{one}");
        assert_eq!(explained("both", id).await, one);
        assert_eq!(explained("many", id).await, one);
    }
    let several = explained("both", "(04+16+25)").await;
    for id in ["04", "16", "25"] {
        assert!(several.contains(&format!(r#""{id}":{{"match":"#)), "{several}");
    }
}

/// `/terms` and `/mlt` ask the shards that the request names, as `/select` does: what they answer is what a
/// collection of those documents alone does.
#[tokio::test]
async fn handlers_ask_the_shards_that_are_named() {
    let halves = Halves::start().await;
    let handler = r#"{"add-requesthandler":{"name":"/mlt","class":"solr.MoreLikeThisHandler","defaults":{"mlt.fl":"name","mlt.mintf":1,"mlt.mindf":1}}}"#;
    halves.post("/solr/right/config", handler).await;
    let part = async |path: &str, from: &str| {
        let answer = halves.ask("right", path).await;
        answer.split_once(from).unwrap_or_else(|| panic!("{answer}")).1.to_owned()
    };
    let ids = async |query: &str| {
        let hits = part(&format!("/select?q=*:*&rows=30&fl=id&sort=id+asc&{query}"), r#""docs":["#).await;
        hits.split('"').filter(|part| part.parse::<u32>().is_ok()).map(str::to_owned).collect::<Vec<_>>()
    };
    let listed = async |query: &str| {
        let path = format!("/terms?terms.fl=id&terms.limit=30&terms.sort=index&{query}");
        let terms = part(&path, r#""id":["#).await;
        terms.split('"').filter(|part| part.parse::<u32>().is_ok()).map(str::to_owned).collect::<Vec<_>>()
    };
    let (first, second) = (ids("shards=shard1").await, ids("shards=shard2").await);
    assert!(!first.is_empty() && !second.is_empty() && first.len() + second.len() == 19);
    assert_eq!(listed("shards=shard1").await, first);
    assert_eq!(listed("shards=shard2").await, second);
    assert_eq!(listed("distrib=false").await, first);
    assert_eq!(listed(&format!("_route_={}", second[0])).await, second);
    assert_eq!(listed("shards=shard1,shard2").await.len(), 19);
    let core = "/solr/right_shard2_replica_n2/terms?terms.fl=id&terms.limit=30&distrib=false&indent=off";
    assert!(body(&halves.0, core).await.contains(&format!(r#""{}",1"#, second[0])));

    let alike = async |id: &str, query: &str| {
        part(&format!("/mlt?q=id:{id}&fl=id,[shard]&rows=30&{query}"), r#""match":{"numFound":"#).await
    };
    let (own, of_all) = (&first[0], alike(&first[0], "rows=30").await);
    assert!(of_all.starts_with('1') && of_all.contains("shard1") && of_all.contains("shard2"), "{of_all}");
    let of_first = alike(own, "shards=shard1").await;
    assert!(of_first.starts_with('1') && !of_first.contains("shard2"), "{of_first}");
    assert_eq!(alike(own, "distrib=false").await, of_first);
    assert_eq!(alike(own, &format!("_route_={own}")).await, of_first);
    assert!(alike(own, "shards=shard2").await.starts_with('0'));
    for path in ["/terms?terms.fl=id", "/mlt?q=*:*"] {
        refused(&halves.0, &format!("/solr/right{path}&shards=x"), "no active servers hosting shard: x")
            .await;
        refused(&halves.0, &format!("/solr/right{path}&shards=http://x/y"), "parameter `shards` names").await;
    }
    refused(&halves.0, "/solr/both/terms?terms.fl=id&shards=shard1", "`shards` names shards of one").await;
}

/// `/get` asks the shards that the request names, filtered or not; a route is a hint for each id, and names
/// shards where filters are asked.
#[tokio::test]
async fn documents_are_got_from_the_shards_that_are_named() {
    let halves = Halves::start().await;
    let all: Vec<String> = (11..30).map(|number| number.to_string()).collect();
    let got = async |name: &str, query: &str| {
        let answer = halves.ask(name, &format!("/get?ids={}&fl=id&{query}", all.join(","))).await;
        answer.split('"').filter(|part| part.parse::<u32>().is_ok()).map(str::to_owned).collect::<Vec<_>>()
    };
    let shown = halves.ask("right", "/select?q=*:*&rows=30&sort=id+asc&fl=id,[shard]").await;
    let of_shard = |shard: &str| {
        let there = |id: &&String| shown.contains(&format!(r#"{{"id":"{id}","[shard]":"{shard}"}}"#));
        all.iter().filter(there).cloned().collect::<Vec<_>>()
    };
    let (first, second) = (of_shard("shard1"), of_shard("shard2"));
    assert!(!first.is_empty() && !second.is_empty() && first.len() + second.len() == 19, "{shown}");
    for filter in ["", "&fq=sold:[0+TO+*]"] {
        let check = async |query: &str, expected: &[String]| {
            assert_eq!(got("right", &format!("{query}{filter}")).await, expected, "{query}{filter}");
        };
        check("shards=shard1", &first).await;
        check("shards=shard2", &second).await;
        check("shards=shard2,shard1", &all).await;
        check("distrib=false", &first).await;
        check(&format!("_route_={}", second[0]), &second).await;
        assert_eq!(got("right_shard2_replica_n2", &format!("distrib=false{filter}")).await, second);
        // Of two collections the first shard of each.
        assert_eq!(got("both", &format!("distrib=false{filter}")).await, first);
        let path = format!("/get?id={}&fl=id,[shard]&shards=shard2{filter}", second[0]);
        let told = format!(r#"{{"doc":{{"id":"{}","[shard]":"shard2"}}}}"#, second[0]);
        assert_eq!(halves.ask("right", &path).await, told);
        let refuse = async |name: &str, shards: &str, why: &str| {
            refused(&halves.0, &format!("/solr/{name}/get?id=17&shards={shards}{filter}"), why).await;
        };
        refuse("right", "x", "no active servers hosting shard: x").await;
        refuse("right", "http://x/y", "parameter `shards` names the address").await;
        refuse("both", "shard1", "`shards` names shards of one collection").await;
    }
    let versions = async |query: &str| {
        halves.ask("right", &format!("/get?getVersions=100&{query}")).await.matches(',').count() + 1
    };
    assert_eq!(versions("shards=shard1").await, first.len());
    assert_eq!(versions(&format!("_route_={}", second[0])).await, second.len());

    // One that lies where its id would not have put it.
    let moved = format!(r#"[{{"id":"{}","name":"moved"}}]"#, first[0]);
    halves.post(&format!("/solr/right/update?_route_={}", second[0]), &moved).await;
    let name =
        async |query: &str| halves.ask("right", &format!("/get?id={}&fl=name&{query}", first[0])).await;
    let moved = r#"{"doc":{"name":"moved"}}"#;
    assert_eq!(name("shards=shard2").await, moved);
    assert_eq!(name(&format!("_route_={}", second[0])).await, moved);
    assert_ne!(name("shards=shard1").await, moved);
    assert_ne!(name("").await, moved);
}
