//! What queries over several collections lead to, and what is told where not all of them can answer.

use super::{Halves, refused};

/// A component that a collection behind the first cannot resolve is told of, as one of the first is.
#[tokio::test]
async fn what_any_of_the_collections_cannot_resolve_is_told() {
    let halves = Halves::start().await;
    let field = r#"{"add-field":{"name":"shelf","type":"string"}}"#;
    halves.post("/solr/left/schema", field).await;
    for asked in [
        "facet=true&facet.field=shelf",
        "facet=true&facet.pivot=shelf,label",
        "json.facet={shelves:{type:terms,field:shelf}}",
        "debug=results&explainOther=shelf:x",
    ] {
        let path = |names: &str| format!("/solr/{names}/select?q=*:*&rows=0&{asked}");
        assert_eq!(halves.0.get(&path("left")).await.status, 200, "{asked}");
        let (own, beside) = (halves.0.get(&path("right,left")).await, halves.0.get(&path("both")).await);
        assert_eq!((own.status, beside.status), (400, 400), "{asked}: {} {}", own.body, beside.body);
        // Of the first Solr says it behind the hits.
        assert!(own.body.contains(r#""numFound":30"#), "{asked}: {}", own.body);
        let told = |body: &str| body.split_once(r#""msg":"#).unwrap().1.to_owned();
        assert_eq!(told(&beside.body), told(&own.body), "{asked}");
        assert!(told(&own.body).contains("shelf"), "{}", own.body);
    }
    let warned =
        halves.ask("both", "/select?q=*:*&rows=0&facet=true&facet.field=sold&facet.mincount=0").await;
    assert!(warned.matches("mincount").count() <= 1, "{warned}");

    let column = "fl=near:[subquery]&near.q=*:*&near.facet=true&near.facet.field";
    let why = "while invoking near:[subquery] on doc 03: undefined field";
    refused(&halves.0, &format!("/solr/both/select?q=id:03&{column}=shelf"), why).await;
    refused(&halves.0, &format!("/solr/left/select?q=id:03&{column}=nowhere"), why).await;

    let handler = r#"{"add-requesthandler":{"name":"/mlt","class":"solr.MoreLikeThisHandler","defaults":{"mlt.fl":"name","mlt.mintf":1,"mlt.mindf":1}}}"#;
    halves.post("/solr/left/config", handler).await;
    let alike =
        |names: &str, field: &str| format!("/solr/{names}/mlt?q=id:03&facet=true&facet.field={field}");
    assert_eq!(halves.0.get(&alike("left", "shelf")).await.status, 200);
    refused(&halves.0, &alike("both", "shelf"), "undefined field").await;
    refused(&halves.0, &alike("left", "nowhere"), "undefined field").await;
}

/// Queries for what is like a document find it in any of the collections, and its words tell by the counts of
/// all.
#[tokio::test]
async fn likes_within_a_query_are_of_collections_together() {
    let halves = Halves::start().await;
    let sorted = "fl=id,score&sort=score+desc,id+asc&rows=30";
    for id in ["03", "17"] {
        // Neither collection has words of so many documents alone.
        let likes = format!("{{!mlt+qf=name+mintf=1+mindf=10+boost=true}}{id}");
        halves.alike(&format!("/select?q={likes}&{sorted}"), r#""score":"#).await;
        halves.alike(&format!("/select?q=*:*&fq={likes}&{sorted}"), r#""score":"#).await;
        halves
            .alike(&format!("/select?q=%2Bsold:[60+TO+*]+%2B_query_:%22{likes}%22&{sorted}"), "score")
            .await;
    }
    let text = "{!mlt_content+qf=name+mintf=1+mindf=10}green+amber";
    halves.alike(&format!("/select?q={text}&{sorted}"), r#""score":"#).await;
    let hits = "/select?q=id:(03+17)&sort=id+asc&fl=id,near:[subquery]&near.fl=id&near.sort=id+asc";
    halves.alike(&format!("{hits}&near.q={{!mlt+qf=name+mintf=1+mindf=10+v=$row.id}}"), "near").await;
    let nobody = "/solr/both/select?q={!mlt+qf=name}99";
    refused(&halves.0, nobody, "Error completing MLT request. Could not fetch document with id [99]").await;
}

/// What leads from documents to others stays within a collection, in all shards of it, unless `fromIndex`
/// names another.
#[tokio::test]
async fn joins_and_graphs_are_of_each_collection_alone() {
    let halves = Halves::start().await;
    let left = r#"[{"id":"a","sku":"x","kinds":["y"]},{"id":"b","sku":"y"},{"id":"e","sku":"z"}]"#;
    halves.post("/solr/left/update?commit=true", left).await;
    // In two shards, by their keys.
    let right = r#"[{"id":"a!c","sku":"y","kinds":["z"]},{"id":"b!d","sku":"z"}]"#;
    halves.post("/solr/right/update?commit=true", right).await;
    let check = async |name: &str, query: &str, expected: &[&str]| {
        let found = halves.ask(name, &format!("/select?q={query}&fl=id&sort=id+asc")).await;
        let ids: Vec<_> =
            found.split(r#"{"id":""#).skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert_eq!(ids, expected, "{query}: {found}");
    };
    let from = |id: &str| format!("v=$from}}&from={{!term+f=id+v={id}}}");
    let join = |id: &str| format!("{{!join+from=kinds+to=sku+{}", from(id));
    check("both", &join("a"), &["b"]).await;
    check("both", &join("a!c"), &["b!d"]).await;
    check("both", &format!("{{!join+fromIndex=left+from=kinds+to=sku+{}", from("a")), &["a!c", "b"]).await;
    check("both", &format!("{{!join+fromIndex=right+from=kinds+to=sku+{}", from("a!c")), &["b!d", "e"]).await;
    let graph = |id: &str| format!("{{!graph+from=sku+to=kinds+{}", from(id));
    check("both", &graph("a"), &["a", "b"]).await;
    check("both", &graph("a!c"), &["a!c", "b!d"]).await;
    // Behind `fromIndex` they are of the collection that it names.
    let behind = |other: &str, within: &str| {
        format!("{{!join+from=sku+to=sku+fromIndex={other}+v=$within}}&within={within}")
    };
    check("left", &behind("right", &join("a!c")), &["e"]).await;
    check("right", &behind("left", &join("a")), &["a!c"]).await;
    check("both", &behind("right", &graph("a!c")), &["a!c", "b", "b!d", "e"]).await;
    let likes = "{!mlt+qf=name+mintf=1+mindf=5}17";
    let alike = "{!join+from=sold+to=sold+fromIndex=right+v=$within}&rows=0&within=";
    let one = halves.ask("right", &format!("/select?q={likes}&rows=0")).await;
    let behind = halves.ask("one", &format!("/select?q={alike}{likes}")).await;
    assert!(!one.contains(r#""numFound":0"#), "{one}");
    assert_eq!(behind.split("numFoundExact").next(), one.split("numFoundExact").next());
}
